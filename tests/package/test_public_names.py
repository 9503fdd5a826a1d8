"""The public names are all there, and only they."""

import widthwise as ww


def test_every_public_name_can_be_imported():
    for name in ww.__all__:
        assert getattr(ww, name) is not None


def test_all_lists_the_names_of_all_modules():
    assert sorted(ww.__all__) == sorted([*ww._MODULE_OF, *ww._MODULES, "__version__"])


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(ww, "nonsense")
