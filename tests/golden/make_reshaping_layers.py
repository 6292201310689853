"""reshaping_layers.json, .npz: padding, cropping and upsampling, each called once, with their gradients."""

from common import keras
from layer_cases import LayerCases
from layer_cases import floats
from layer_cases import ints

L = keras.layers
cases = LayerCases("reshaping_layers")
case = cases.case

FIRST = dict(data_format="channels_first")

# ZeroPadding and Cropping.
MARGINS = {
    1: {"1": 1, "0": 0, "before": (2, 0), "after": (0, 3), "differ": (1, 2)},
    2: {
        "0": 0,
        "2": 2,
        "pair": (1, 2),
        "pairs": ((1, 0), (0, 2)),
        "mixed": (2, (0, 1)),
        "last_axis": ((0, 0), (2, 1)),
    },
    3: {
        "0": 0,
        "1": 1,
        "triple": (1, 0, 2),
        "pairs": ((1, 0), (0, 2), (2, 1)),
        "mixed": (1, (0, 1), 0),
    },
}
SIZES = {1: (6,), 2: (6, 5), 3: (4, 3, 5)}
CLASSES = {
    1: (L.ZeroPadding1D, L.Cropping1D),
    2: (L.ZeroPadding2D, L.Cropping2D),
    3: (L.ZeroPadding3D, L.Cropping3D),
}

for rank, (padding, cropping) in CLASSES.items():
    batch = 2 if rank < 3 else 1
    last = (batch, *SIZES[rank], 2)
    first = (batch, 2, *SIZES[rank])
    case(f"zero_padding{rank}d_default", lambda: padding(), floats(last))
    case(f"cropping{rank}d_default", lambda: cropping(), floats(last))
    for name, margins in MARGINS[rank].items():
        case(f"zero_padding{rank}d_{name}", lambda: padding(margins), floats(last))
        if name in ("differ", "pairs"):
            case(f"zero_padding{rank}d_{name}_first", lambda: padding(margins, **FIRST), floats(first))
        case(f"cropping{rank}d_{name}", lambda: cropping(margins), floats(last))
        if name == "pairs":
            case(f"cropping{rank}d_{name}_first", lambda: cropping(margins, **FIRST), floats(first))
    case(f"zero_padding{rank}d_integers", lambda: padding(1), ints(9, last))
    case(f"cropping{rank}d_integers", lambda: cropping(1), ints(9, last))

# UpSampling.
for size in (1, 2, 3):
    case(f"up_sampling1d_{size}", lambda: L.UpSampling1D(size), floats((2, 4, 3)))
case("up_sampling1d_default", lambda: L.UpSampling1D(), floats((3, 1, 2)))
case("up_sampling1d_integers", lambda: L.UpSampling1D(2), ints(9, (2, 3, 2)))
case("up_sampling3d_default", lambda: L.UpSampling3D(), floats((2, 2, 1, 3, 2)))
case("up_sampling3d_3", lambda: L.UpSampling3D(3), floats((1, 2, 2, 1, 2)))
case("up_sampling3d_differ", lambda: L.UpSampling3D((1, 3, 2)), floats((2, 2, 3, 2, 1)))
case("up_sampling3d_first", lambda: L.UpSampling3D((2, 1, 3), **FIRST), floats((2, 2, 1, 3, 2)))
case("up_sampling2d_default", lambda: L.UpSampling2D(), floats((2, 3, 2, 2)))
case("up_sampling2d_integers", lambda: L.UpSampling2D((2, 3)), ints(9, (2, 3, 2, 2)))

UPSAMPLED = {
    "2": (2, (4, 3)),
    "3": (3, (3, 5)),
    "height": ((2, 1), (3, 4)),
    "width": ((1, 3), (2, 3)),
    "differ": ((4, 5), (2, 3)),
    "of_one_pixel": (3, (1, 1)),
    "far": (7, (2, 1)),
    "wide": ((1, 2), (1, 13)),
}
for interpolation in ("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"):
    for name, (size, lengths) in UPSAMPLED.items():
        case(
            f"up_sampling2d_{interpolation}_{name}",
            lambda: L.UpSampling2D(size, interpolation=interpolation),
            floats((1, *lengths, 2)),
        )
    case(
        f"up_sampling2d_{interpolation}_first",
        lambda: L.UpSampling2D((2, 3), interpolation=interpolation, **FIRST),
        floats((2, 3, 4, 2)),
    )
    # Beyond the range of the dtype, and rounded.
    for dtype in ("uint8", "int32"):
        case(
            f"up_sampling2d_{interpolation}_{dtype}",
            lambda: L.UpSampling2D(3, interpolation=interpolation),
            ints(256, (1, 3, 4, 2), dtype=dtype),
        )
case("up_sampling2d_capitals", lambda: L.UpSampling2D(2, interpolation="BiCubic"), floats((1, 2, 3, 1)))
# Of "area", TensorFlow has no gradient.
case("up_sampling2d_area", lambda: L.UpSampling2D((2, 3), interpolation="area"), ints(256, (1, 2, 3, 2), dtype="uint8"))

cases.save()
