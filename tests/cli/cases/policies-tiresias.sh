# every parameter of tiresias, with its source
"$HORUS" policies tiresias
