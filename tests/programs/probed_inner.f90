! Functions of the program's own: of a module, inside the program, and with an array that is made for the call.
module in_model
   implicit none
contains
   subroutine step(state, factor)
      real(8), intent(inout) :: state(:)
      real(8), intent(in) :: factor
      state = state * factor
   end subroutine step

   recursive function depth(n) result(sum)
      integer, intent(in) :: n
      integer :: sum
      sum = n
      if (n > 0) sum = sum + depth(n - 1)
   end function depth

   function doubled(state) result(twice)
      real(8), intent(in) :: state(:)
      real(8) :: twice(size(state))
      twice = 2 * state
   end function doubled
end module in_model

program inner
   use in_model
   implicit none
   real(8) :: state(10)
   integer :: i

   state = 1
   do i = 1, 3
      call step(state(::2), 2.0d0)
   end do
   call in_program(i)
   print '(a, f0.1, a, i0, a, i0)', 'sum ', sum(doubled(state)), ' depth ', depth(10), ' i ', i
contains
   subroutine in_program(number)
      integer, intent(inout) :: number
      number = number + int(state(1))
   end subroutine in_program
end program inner
