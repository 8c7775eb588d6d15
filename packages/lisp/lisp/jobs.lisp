;;;; A job is one operation while it runs. It is also the catch tag of interrupts: evaluated code can't name it, so code
;;;; that handles every condition can still be interrupted.

(in-package :hawser-worker)

(defconstant +default-limit+ 100 "How many findings an outcome has unless another number is asked for.")
(defconstant +max-limit+ 1000 "How many findings can be asked for.")
(defconstant +max-detail+ 500 "How long a lambda list may be.")
(defconstant +max-warnings+ 200 "How many warnings of a job are kept.")

(defstruct job
  "One operation while it runs, and what its outcome will say."
  id
  (value-limit 20000)
  ;; The hint for a value that is cut, or NIL.
  (cut-advice "Raise \"value\" with configure-limits, or look into it with inspect.")
  (on-error :abort)
  ;; Where it is: :READ, :EVALUATE, :COMPILE, :LOAD, and in which top-level form of which text.
  (phase :evaluate)
  (file nil) (counted '(0 . 1)) (text nil) (stream nil) (form nil) (form-start nil) (package *package*)
  (warnings '()) (warning-count 0)
  (values '())
  ;; A list of findings or :NONE, how many there are in all, and which part of them is asked for.
  (findings nil) (total nil) (offset 0) (limit +default-limit+)
  ;; Calls of traced functions, newest first, and results of tests.
  (calls '()) (call-count 0) (tests nil)
  (failure nil)
  abort-restart
  ;; True when the debugger is left by ABORT.
  (leaving nil)
  ;; What was read of files, so that each is read once.
  (texts '()) (definition-files :unknown)
  ;; What ASDF has done: names of operations and components.
  (performed '())
  (started-real 0) (started-run 0) (started-consed 0))

(defvar *job* nil "The job of this thread, or NIL.")
(defvar *running* nil "The job that an interrupt throws to; NIL while nothing runs.")

(defstruct command
  "An operation that the server asks for. The limits are characters: of output, and of each value. CODE is the code to
evaluate, if that is asked for."
  id kind output-limit value-limit arguments code)

(defun begin-job (job id)
  (setf (job-id job) id
        (job-warnings job) '()
        (job-warning-count job) 0
        (job-failure job) nil
        (job-calls job) '()
        (job-call-count job) 0
        (job-started-real job) (real-microseconds)
        (job-started-run job) (run-milliseconds)
        (job-started-consed job) (consed-bytes)))

(defun interrupt-job (id)
  "Called in the thread of the worker, between any two of its instructions."
  (let ((job *running*))
    (when (and job (eql id (job-id job)))
      (throw job '(:interrupted)))))

(defun note-warning (text)
  (let ((job *job*))
    (when (and job (<= (incf (job-warning-count job)) +max-warnings+))
      (push text (job-warnings job)))))

(defvar *loading* nil
  "What is known of the system that is loaded, or NIL. Its warnings are noted with their places, by NOTE-DIAGNOSTIC.")

(defun collect-warning (condition)
  (when (and *job* (not *loading*))
    (unless (repeats-compiler-p condition)
      ;; Compilers bind it so that every symbol shows its package.
      (let ((*package* (job-package *job*)))
        (note-warning (concatenate 'string (symbol-text (kind-of-warning condition)) ": "
                                   (condition-text condition 2000)))))
    (note-compiler-verdict condition)
    (let ((restart (find-restart 'muffle-warning condition)))
      (when restart (invoke-restart restart)))))

(deftype compiler-failure ()
  "An error that the compiler reports while it goes on."
  '(satisfies compiler-failure-p))

(defun collect-compiler-failure (condition)
  "The compiler replaces the form by a call of ERROR and goes on."
  (when (and *job* (not *loading*))
    (let ((*package* (job-package *job*)))
      (note-warning (concatenate 'string "ERROR: " (condition-text condition 2000))))
    (note-compiler-verdict condition)
    (continue condition)))

(defun repeats-compiler-p (condition)
  "UIOP signals a warning of its own after each warning of the compiler."
  (let ((package (symbol-package (type-of-condition condition))))
    (and package (equal (package-name package) "UIOP/LISP-BUILD"))))

(defun kind-of-warning (condition)
  "The most specific class name outside the Lisp's own packages: STYLE-WARNING, not SB-INT:SIMPLE-STYLE-WARNING."
  (or (find-if (lambda (name)
                 (and (not (eq name 'simple-condition))
                      (not (system-package-p (symbol-package name)))))
               (condition-names condition))
      'warning))
