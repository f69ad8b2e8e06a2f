//! Names, units and codecs that every component of vgpu agrees on.
