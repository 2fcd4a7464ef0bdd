! Fortran I/O: formatted, unformatted, direct, stream, internal and namelist; inquire, rewind, backspace, scratch files.
! libgfortran makes the calls.
program fortran_io
  implicit none
  call formatted()
  call unformatted()
  call direct()
  call streamed()
  call inquired()
  call failing()
contains
  subroutine formatted()
    integer :: i, number, status
    character(len=20) :: word
    open (unit=10, file='formatted', status='replace', action='readwrite')
    do i = 1, 1000
      write (10, '(a, i5)') 'line', i
    end do
    rewind (10)
    read (10, '(a4, i5)') word, number
    print '(a, i0)', trim(word), number
    do i = 2, 1000
      read (10, '(a4, i5)') word, number
    end do
    backspace (10)
    read (10, '(a4, i5)') word, number
    print '(a, i0)', trim(word), number
    read (10, '(a)', iostat=status) word
    print '(a, l1)', 'at the end ', is_iostat_end(status)
    close (10)
  end subroutine

  subroutine unformatted()
    real(kind=8) :: numbers(1000), back(1000)
    integer :: i
    numbers = [(i * 0.5d0, i = 1, 1000)]
    open (newunit=i, file='unformatted', form='unformatted', status='replace')
    write (i) numbers
    write (i) numbers(1:10)
    rewind (i)
    read (i) back
    close (i)
    print '(a, l1)', 'unformatted ', all(numbers == back)
  end subroutine

  subroutine direct()
    integer :: unit, i, number
    open (newunit=unit, file='direct', access='direct', form='unformatted', recl=64, status='replace')
    do i = 10, 1, -1
      write (unit, rec=i) i
    end do
    read (unit, rec=7) number
    print '(a, i0)', 'record ', number
    flush (unit)
    close (unit)
  end subroutine

  subroutine streamed()
    integer :: unit, place
    character(len=5) :: word
    open (newunit=unit, file='streamed', access='stream', form='unformatted', status='replace')
    write (unit) 'hello world'
    write (unit, pos=7) 'there'
    inquire (unit=unit, pos=place)
    read (unit, pos=7) word
    print '(a, i0, 1x, a)', 'place ', place, word
    close (unit)
    open (newunit=unit, file='streamed', access='stream', form='unformatted', position='append')
    write (unit) '!'
    close (unit)
  end subroutine

  subroutine inquired()
    logical :: there
    integer :: length, unit
    inquire (file='streamed', exist=there, size=length)
    print '(a, l1, 1x, i0)', 'streamed ', there, length
    inquire (file='missing', exist=there)
    print '(a, l1)', 'missing ', there
    open (newunit=unit, status='scratch')
    write (unit, *) 'scratch'
    close (unit)
    open (newunit=unit, file='deleted', status='replace')
    close (unit, status='delete')
    inquire (file='deleted', exist=there)
    print '(a, l1)', 'deleted ', there
  end subroutine

  subroutine failing()
    integer :: unit, status
    open (newunit=unit, file='missing/below', status='old', iostat=status)
    print '(a, l1)', 'no such file ', status /= 0
    open (newunit=unit, file='streamed', status='new', iostat=status)
    print '(a, l1)', 'already there ', status /= 0
  end subroutine
end program
