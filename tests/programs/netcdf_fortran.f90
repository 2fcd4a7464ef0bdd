! NetCDF from Fortran: nf90_ and nf_ arrive at functions of C.
program netcdf_fortran
  use netcdf
  implicit none
  integer :: ncid, dim, var, code
  real(8) :: values(5)
  character(len=200) :: path
  include 'netcdf.inc'
  call get_command_argument(1, path)
  values = 1
  call good(nf90_create(trim(path), NF90_CLOBBER, ncid))
  call good(nf90_def_dim(ncid, 'x', 5, dim))
  call good(nf90_def_var(ncid, 'field', NF90_DOUBLE, dim, var))
  call good(nf90_enddef(ncid))
  call good(nf90_put_var(ncid, var, values))
  print '(a)', 'call 0 nc_put_vara_double field 40 5 0 0'
  code = nf_put_vara_double(ncid, var, 2, 3, values)
  call good(code)
  print '(a)', 'call 0 nc_put_vara_double field 24 3 0 0'
  call good(nf90_close(ncid))
contains
  subroutine good(code)
    integer, intent(in) :: code
    if (code /= 0) stop 1
  end subroutine
end program
