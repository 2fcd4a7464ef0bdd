subroutine write_checkpoint(step, state, count, name, failed, total)
   implicit none
   integer, intent(in) :: step, count
   real(8), intent(in) :: state(count)
   character(len=*), intent(in) :: name
   integer, intent(out) :: failed
   real(8), intent(inout) :: total
   integer :: unit
   character(len=80) :: file

   write (file, '(a, i0)') name, step
   open (newunit=unit, file=file, form='unformatted', access='stream', status='replace', iostat=failed)
   if (failed /= 0) return
   write (unit, iostat=failed) state
   close (unit)
   total = total + sum(state)
end subroutine write_checkpoint
