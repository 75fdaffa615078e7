"""Tools around parameters and gradients."""
