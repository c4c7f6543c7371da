import pytest

from lib import calls


@pytest.fixture(scope="session")
def session_object():
    calls.helper(1)
    yield calls.Base()
    calls.key(1)


@pytest.fixture(scope="module")
def module_object(session_object):
    return calls.use_data()


@pytest.fixture
def function_object():
    return calls.sort_it()


@pytest.fixture(scope="session")
def dynamic():
    return calls.use_lambda()


@pytest.fixture(scope="module")
def through_dynamic(request):
    return request.getfixturevalue("dynamic")
