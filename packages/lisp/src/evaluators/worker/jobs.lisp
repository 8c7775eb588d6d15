;;;; A job is one operation while it runs. It is also the catch tag of interrupts: evaluated code can't name it, so code
;;;; that handles every condition can still be interrupted.

(in-package :hawser-worker)

;;; How many findings an outcome has unless another number is asked for, and at most.
(defconstant default-limit 100)
(defconstant max-limit 1000)

(defstruct job
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
  (findings nil) (total nil) (offset 0) (limit default-limit)
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

;;; The job of this thread, and the job that an interrupt throws to; NIL while nothing runs.
(defvar *job* nil)
(defvar *running* nil)

(defconstant max-warnings 200)

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
    (when (and job (<= (incf (job-warning-count job)) max-warnings))
      (push text (job-warnings job)))))

;;; True while a system is loaded: its warnings are noted with their places, by NOTE-DIAGNOSTIC.
(defvar *loading* nil)

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
