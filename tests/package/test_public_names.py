"""The public names are all there, and only they."""

import widthwise as ww


def test_every_public_name_can_be_imported():
    for name in ww.__all__:
        assert getattr(ww, name) is not None


def test_the_list_of_names_is_the_list_of_rooms():
    assert sorted(ww.__all__) == sorted([*ww._ROOM_OF, *ww._MODULES, "__version__"])


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(ww, "nonsense")
