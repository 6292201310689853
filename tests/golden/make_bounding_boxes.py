"""bounding_boxes.json, .npz: the functions of keras.utils.bounding_boxes."""

from common import Golden
from common import array
from common import keras
from common import np
from common import rng_for

functions = keras.utils.bounding_boxes
golden = Golden("bounding_boxes")
FORMATS = [
    "xyxy",
    "yxyx",
    "xywh",
    "center_xywh",
    "center_yxhw",
    "rel_xyxy",
    "rel_yxyx",
    "rel_xywh",
    "rel_center_xywh",
]
HEIGHT, WIDTH = 48, 64


def corners(rng, *shape):
    """Boxes "xyxy" in an image of that size, some beyond its border."""
    first = rng.uniform(-8, 40, (*shape, 2))
    return np.concatenate([first, first + rng.uniform(1, 30, (*shape, 2))], -1).astype("float32")


def boxes_in(format, rng, *shape):
    return array(functions.convert_format(corners(rng, *shape), "xyxy", format, height=HEIGHT, width=WIDTH))


def case(function, name, inputs, **arguments):
    """`inputs`: the tensors that come first. The rest are the arguments of the case."""
    entry = {"name": f"{function}_{name}", "function": function, "arguments": arguments}
    arrays = {f"input{i}": x for i, x in enumerate(inputs)}
    try:
        result = getattr(functions, function)(*inputs, **arguments)
    except (ValueError, NotImplementedError) as error:
        entry["error"] = {"class": type(error).__name__, "message": str(error)}
    else:
        arrays["output"] = array(result)
    golden.add(entry, arrays)


def formats():
    for source in FORMATS:
        for target in FORMATS:
            rng = rng_for(f"{source}_{target}")
            lengths = {"height": HEIGHT, "width": WIDTH} if "rel" in source + target else {}
            case("convert_format", f"{source}_{target}", [boxes_in(source, rng, 2, 3)], source=source, target=target, **lengths)
    boxes = corners(rng_for("formats"), 3)
    case("convert_format", "of_integers", [boxes.astype("int32")], source="xyxy", target="XYWH")
    case("convert_format", "of_one", [boxes[0]], source="xyxy", target="rel_center_xywh", height=10, width=30)
    case("convert_format", "wrong_numbers", [boxes[:, :3]], source="xyxy", target="xywh")
    case("convert_format", "unknown_source", [boxes], source="xxyy", target="xywh")
    case("convert_format", "unknown_target", [boxes], source="xyxy", target="rel_center_yxhw", height=2, width=3)
    for lengths in ({}, {"height": 3}, {"width": 3}):
        case("convert_format", f"without_{len(lengths)}_{''.join(lengths)}", [boxes], source="rel_xyxy", target="xyxy", **lengths)
    case("convert_format", "relative_without_lengths", [boxes], source="rel_xyxy", target="rel_xywh")
    case("convert_format", "same_without_lengths", [boxes], source="rel_xyxy", target="rel_xyxy")


def clipping():
    rng = rng_for("clipping")
    boxes = np.concatenate([corners(rng, 2, 4), np.full((2, 1, 4), 90, "float32"), np.full((2, 1, 4), -1, "float32")], 1)
    labels = np.arange(12, dtype="int32").reshape(2, 6)
    for format, given, lengths in (
        ("xyxy", boxes, {"height": HEIGHT, "width": WIDTH}),
        ("rel_xyxy", boxes / WIDTH, {}),
        ("xyxy", boxes, {}),
        ("xywh", boxes, {"height": HEIGHT, "width": WIDTH}),
    ):
        arguments = {"bounding_box_format": format, **lengths}
        entry = {"name": f"clip_to_image_size_{format}_{len(lengths)}", "function": "clip_to_image_size", "arguments": arguments}
        arrays = {"input0": given, "input1": labels}
        try:
            result = functions.clip_to_image_size({"boxes": given, "labels": labels}, **arguments)
            arrays |= {"output": array(result["boxes"]), "labels": array(result["labels"])}
        except (ValueError, NotImplementedError) as error:
            entry["error"] = {"class": type(error).__name__, "message": str(error)}
        golden.add(entry, arrays)


def places():
    rng = rng_for("places")
    boxes = corners(rng, 3, 2)
    lengths = {"height": HEIGHT, "width": WIDTH}
    for name, centers in (("", {}), ("_of_a_corner", {"center_x": 0.0, "center_y": 1.0})):
        numbers = [rng.uniform(low, high, 3).astype("float32") for low, high in
                   ((-180, 180), (-0.3, 0.3), (-0.3, 0.3), (0.5, 2), (-40, 40), (-40, 40))]
        case("affine_transform", f"all{name}", [boxes, *numbers], **lengths, **centers)
    case("affine_transform", "other_format", [boxes, *numbers], **lengths, bounding_box_format="yxyx")
    part = {"top": 5, "left": 9, "height": 20, "width": 30}
    case("crop", "part", [boxes], **part)
    case("crop", "integers", [boxes.astype("int32")[0]], **part)
    case("crop", "other_format", [boxes], **part, bounding_box_format="rel_xyxy")
    case("pad", "corner", [boxes], top=5, left=9)
    case("pad", "lengths", [boxes], top=-5, left=2, height=3, width=4)
    case("pad", "other_format", [boxes], top=5, left=9, bounding_box_format="xywh")


def overlaps():
    rng = rng_for("overlaps")
    shape = {"image_shape": (HEIGHT, WIDTH, 3)}
    for format in FORMATS:
        lengths = shape if "rel" in format else {}
        pair = [boxes_in(format, rng, 2, 3), boxes_in(format, rng, 2, 4)]
        case("compute_iou", format, pair, bounding_box_format=format, **lengths)
        case("compute_ciou", format, [pair[0], pair[1][:, :3]], bounding_box_format=format, **lengths)
    first, second = corners(rng, 3), corners(rng, 2, 4)
    case("compute_iou", "unbatched", [first, second[0]], bounding_box_format="xyxy")
    case("compute_iou", "first_unbatched", [first, second], bounding_box_format="xyxy")
    case("compute_iou", "second_unbatched", [second, first], bounding_box_format="xyxy")
    case("compute_iou", "equal", [first, first], bounding_box_format="xyxy")
    padded = np.concatenate([second, np.full((2, 2, 4), -1, "float32")], 1)
    masked = {"use_masking": True}
    case("compute_iou", "masked", [padded, second], bounding_box_format="xyxy", **masked)
    case("compute_iou", "masked_by_value", [padded[0], padded[1]], bounding_box_format="yxyx", mask_val=-7, **masked)
    case("compute_iou", "padding", [padded, padded], bounding_box_format="yxyx")
    case("compute_iou", "relative_without_shape", [first, first], bounding_box_format="rel_yxyx")
    case("compute_iou", "one_box", [first[0], first], bounding_box_format="xyxy")
    case("compute_iou", "one_other_box", [first, first[0]], bounding_box_format="xyxy")
    case("compute_iou", "rank_4", [second[None], second], bounding_box_format="xyxy")
    case("compute_ciou", "broadcast", [second, first[:1]], bounding_box_format="xyxy")
    case("compute_ciou", "far", [first, first + 500], bounding_box_format="xyxy")
    case("compute_ciou", "equal", [first, first], bounding_box_format="xyxy")


def deltas():
    rng = rng_for("deltas")
    shape = {"image_shape": (HEIGHT, WIDTH, 3)}
    for encoding in ("center_yxhw", "center_xywh"):
        for format, lengths in (("xyxy", {}), ("rel_yxyx", shape), ("center_yxhw", {})):
            anchors, boxes = boxes_in(format, rng, 5), boxes_in("xyxy", rng, 2, 5)
            arguments = {"anchor_format": format, "box_format": "xyxy", **lengths}
            name = f"{encoding}_{format}"
            variance = {"variance": [0.1, 0.1, 0.2, 0.2]} if format == "xyxy" else {}
            case("encode_box_to_deltas", name, [anchors, boxes], **arguments, encoding_format=encoding, **variance)
            small = rng.uniform(-0.5, 0.5, (2, 5, 4)).astype("float32")
            case("decode_deltas_to_boxes", name, [anchors, small], **arguments, encoded_format=encoding, **variance)
    anchors = corners(rng, 5)
    arguments = {"anchor_format": "xyxy", "box_format": "xywh"}
    flat = anchors.copy()
    flat[:, 2:] = flat[:, :2]
    case("encode_box_to_deltas", "without_area", [anchors, flat], **arguments)
    case("encode_box_to_deltas", "unknown_encoding", [anchors, anchors], **arguments, encoding_format="xyxy")
    case("decode_deltas_to_boxes", "unknown_encoding", [anchors, anchors], **arguments, encoded_format="xyxy")


formats()
clipping()
places()
overlaps()
deltas()
golden.save()
