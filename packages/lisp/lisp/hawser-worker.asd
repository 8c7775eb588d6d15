;;;; (asdf:load-system "hawser-worker") loads the worker into a Lisp to work on it; (asdf:test-system "hawser-worker") tests it.
;;;; hawser-lisp ships these files joined, in the order in which they are listed here.

(defsystem "hawser-worker"
  :description "Evaluates Common Lisp for hawser-lisp: the part that runs in the Lisp"
  :license "Apache-2.0"
  :serial t
  :components ((:file "packages")
               (:file "source-text")
               (:file "json")
               (:file "backend")
               (:file "sbcl" :if-feature :sbcl)
               (:file "ecl" :if-feature :ecl)
               (:file "output")
               (:file "printing")
               (:file "jobs")
               (:file "frames")
               (:file "places")
               (:file "errors")
               (:file "ending")
               (:file "systems")
               (:file "text-places")
               (:file "diagnostics")
               (:file "advice")
               (:file "evaluation")
               (:file "debugger")
               (:file "definitions")
               (:file "inspector")
               (:file "testing")
               (:file "tracing")
               (:file "swank")
               (:file "operations")
               (:file "serving")
               (:file "attaching")
               (:file "seal"))
  :in-order-to ((test-op (test-op "hawser-worker/tests"))))

(defsystem "hawser-worker/tests"
  :description "Tests of hawser-worker that need no server"
  :license "Apache-2.0"
  :depends-on ("hawser-worker" "fiveam")
  :pathname "tests"
  :serial t
  :components ((:file "packages")
               (:file "texts")
               (:file "backend")
               (:file "evaluation")
               (:file "places")
               (:file "documentation" :if-feature :sbcl))
  :perform (test-op (operation system)
             (unless (symbol-call :fiveam :run! (find-symbol* :hawser-worker :hawser-worker/tests))
               (error "Tests of hawser-worker have failed."))))
