//! Headings of sections: they go with the last definition below them, and not before.

use expect_test::expect;

use super::check;

#[test]
fn a_heading_goes_with_all_of_its_section_and_stays_with_any_of_it() {
    check(
        r#"
        //- m.py
        """A module."""

        # ---- Areas ----

        def area(w, h):
            return w * h

        # a note inside the section

        def square(w):
            return w * w

        # the end of areas

        # ---- Volumes ----

        def volume(a):
            return a ** 3

        def cube(a):
            return a ** 3

        # ---- Angles ----
        # In degrees.
        def angle(a):
            return a

        def full():
            return 360

        #
        # Times
        #

        def time(a):
            return a

        # That is all.
        "#,
        "m.py::area m.py::square m.py::volume m.py::angle m.py::time",
        expect![[r#"
            //- m.py
            """A module."""

            # ---- Volumes ----

            def cube(a):
                return a ** 3

            # ---- Angles ----

            def full():
                return 360

            # That is all.
        "#]],
    );
}

#[test]
fn a_heading_reaches_over_lower_ones() {
    check(
        r#"
        //- m.py
        import os

        # =================
        # Public
        # =================

        # --- one ---

        def one():
            return 1

        # --- two ---

        def two():
            return 2


        ####################
        ## Private

        def _three():
            return 3


        # =================
        # Rest
        # =================

        def four():
            return os
        "#,
        "m.py::one m.py::_three",
        expect![[r#"
            //- m.py
            import os

            # =================
            # Public
            # =================

            # --- two ---

            def two():
                return 2


            # =================
            # Rest
            # =================

            def four():
                return os
        "#]],
    );
}

#[test]
fn regions_go_with_both_ends() {
    check(
        r#"
        //- m.py
        #region one
        A = 1
        #endregion

        # region two
        def f():
            return 1

        # region inner
        def g():
            return 1
        # endregion
        # endregion

        # region three
        def h():
            return 1

        def i():
            return 1
        # endregion
        "#,
        "m.py::f m.py::g m.py::h",
        expect![[r#"
            //- m.py
            #region one
            A = 1
            #endregion

            # region three

            def i():
                return 1
            # endregion
        "#]],
    );
}

#[test]
fn headings_in_classes_end_with_the_class() {
    check(
        r#"
        //- m.py
        class Box:
            """Holds things."""

            # -- reading --

            def get(self):
                return '''
        # no comment
        '''

            # -- writing --

            def put(self):
                return 1

            def add(self):
                return 1

            # -- sizes --

            def size(self):
                return 1


        def stay():
            return 1
        "#,
        "m.py::Box.get m.py::Box.put m.py::Box.size",
        expect![[r#"
            //- m.py
            class Box:
                """Holds things."""

                # -- writing --

                def add(self):
                    return 1


            def stay():
                return 1
        "#]],
    );
}

#[test]
fn comments_that_head_nothing_that_goes_stay() {
    check(
        r#"
        //- m.py
        #!/usr/bin/env python
        # ---------- licence ----------

        import re  # used below

        x = 1
        # about x

        def f():
            return re

        # A detached note on g and h.

        def g():
            return 1

        def h():
            return 1

        # vim: set sw=4
        "#,
        "m.py::f m.py::g",
        expect![[r#"
            //- m.py
            #!/usr/bin/env python
            # ---------- licence ----------

            x = 1
            # about x

            # A detached note on g and h.

            def h():
                return 1

            # vim: set sw=4
            imports: re (m.py)
        "#]],
    );
}
