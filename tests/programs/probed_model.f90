! The calls of a simulation: each step ends with a checkpoint, by a library of the user's own.
program simulation
   implicit none
   external :: write_checkpoint
   integer :: step, failed
   real(8) :: state(100), total

   state = 1
   total = 0
   do step = 1, 3
      state = state * 2
      call write_checkpoint(step, state, size(state), 'checkpoint', failed, total)
      if (failed /= 0) stop 1
   end do
   print '(a, f0.1)', 'total ', total
end program simulation
