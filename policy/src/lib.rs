//! Pure limit decisions: integers in, a verdict out.
