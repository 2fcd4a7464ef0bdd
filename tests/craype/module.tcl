# What `module load` does with a modulefile, as lines that a shell reads: module.tcl FILE
set ModulesCurrentModulefile [lindex $argv 0]
proc prepend-path { name value } { puts "export $name='$value'\${$name:+:\$$name}" }
proc setenv { name value } { puts "export $name='$value'" }
proc module-whatis { text } {}
proc conflict { name } {}
source $ModulesCurrentModulefile
