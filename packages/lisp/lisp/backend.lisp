;;;; What the worker needs of an engine, with the defaults of those that need nothing special. SBCL.LISP and ECL.LISP
;;;; implement it.

(in-package :hawser-worker/backend)

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defvar *interface* '()
    "The names of the functions that an engine provides, last one first."))

(defmacro definterface (name lambda-list documentation &body default)
  "Declares a function that engines implement with DEFIMPLEMENTATION. Those that don't have DEFAULT; without one they must."
  (check-type documentation string)
  `(progn
     (eval-when (:compile-toplevel :load-toplevel :execute)
       (export ',name :hawser-worker/backend)
       (pushnew ',name *interface*)
       (setf (get ',name 'lambda-list) ',lambda-list
             (get ',name 'documentation) ,documentation))
     (declaim (ftype function ,name))
     ,@(when default
         `((setf (get ',name 'default)
                 (lambda ,lambda-list
                   (declare (ignorable ,@(set-difference lambda-list lambda-list-keywords)))
                   ,@default))))
     ',name))

(defmacro defimplementation (name lambda-list &body body)
  "Implements a function that DEFINTERFACE has declared, with parameters of the same names."
  (unless (member name *interface*) (error "~s is not a function that an engine provides" name))
  (unless (equal (mapcar #'string lambda-list) (mapcar #'string (get name 'lambda-list)))
    (error "~s takes ~s" name (get name 'lambda-list)))
  `(progn
     (setf (get ',name 'implemented) t)
     (defun ,name ,lambda-list ,(get name 'documentation) ,@body)))

(defun interface-functions ()
  "The names of the functions that an engine provides."
  (reverse *interface*))

(defun complete-backend ()
  "Gives the engine the defaults of what it does not implement. Signals an error if something has no default."
  (dolist (name (interface-functions))
    (unless (get name 'implemented)
      (setf (fdefinition name)
            (or (get name 'default) (error "The engine lacks ~s: ~a" name (get name 'documentation)))
            (documentation name 'function) (get name 'documentation)))))

;;; What engines and the worker have in common.

(defstruct location
  "Where code comes from: a native path, and in that file the number of the top-level form, counted from 0, with indices
that lead to a subform; or a position in characters."
  file form path position)

(define-condition refusal (error)
  ((message :initarg :message :reader refusal-message))
  (:documentation "An error that the worker itself signals: the operation can't be done. It has no restarts.")
  (:report (lambda (condition stream) (write-string (refusal-message condition) stream))))

(defun refuse (&rest parts)
  "Signals a refusal whose message is PARTS, joined."
  (error 'refusal :message (apply #'concatenate 'string parts)))

(defun external-call (package name &rest arguments)
  "Calls a function of a package that is not there when the worker is compiled."
  (apply (find-symbol name package) arguments))

(defun undesignated-package-name (condition)
  "The name that a package error is about, if no package has it; or NIL."
  (let ((package (and (typep condition 'package-error) (package-error-package condition))))
    (and package
         (typep package '(or string symbol character))
         (not (find-package package))
         (string package))))

;;; The process and its descriptors.

(definterface open-wire (descriptor)
  "A wire on DESCRIPTOR, out of the way of evaluated code that closes low descriptors or starts programs.")

(definterface socket-wire (socket)
  "A wire on a socket of SB-BSD-SOCKETS."
  (refuse "This Lisp can't be attached to."))

(definterface read-message (wire)
  "The octets of the next message, which follow their number and a line end; NIL when the server has closed the wire. Can't
be interrupted.")

(definterface write-wire (wire octets end)
  "Writes OCTETS up to END. Returns NIL when nobody can read them any more.")

(definterface write-past-lisp (text)
  "Writes TEXT to descriptor 2, past the streams that evaluated code may have changed.")

(definterface leaks-pending-p ()
  "Whether descriptors 1 or 2 hold unread output that did not pass through Lisp's streams; true if that is unknown."
  t)

(definterface process-id () "The number of this process.")

(definterface prepare-process ()
  "Arranges that the death of the server is noticed, and that signals meant for it are ignored.")

(definterface lead-process-group () "Puts this process into a process group of its own.")
(definterface end-process (process) "Kills the process with this number.")
(definterface end-process-group () "Kills this process and its process group.")
(definterface end-forked-process () "Ends this process, which is a copy of the worker, and nothing else.")
(definterface end-soon () "Ends the process within two seconds, whatever happens next.")

(definterface prepare-image ()
  "Loads what most sessions need into an image that is about to be saved."
  nil)

(definterface real-microseconds ()
  "A clock that only advances."
  (floor (* 1000000 (get-internal-real-time)) internal-time-units-per-second))

(definterface consed-bytes ()
  "How many bytes were allocated so far; NIL if that is unknown."
  nil)

;;; Threads. Between lock and unlock comes neither an interrupt nor the end of the thread.

(definterface make-lock () "A lock.")
(definterface call-with-lock (lock function) "Calls FUNCTION while no other thread holds LOCK.")

(defmacro with-lock ((lock) &body body)
  "Evaluates BODY while no other thread holds LOCK."
  `(flet ((locked () ,@body))
     (declare (dynamic-extent #'locked))
     (call-with-lock ,lock #'locked)))

(definterface start-thread (name function on-failure)
  "Calls FUNCTION in a thread that evaluated code can't end for good, and ON-FAILURE with a condition that it signals.")

(definterface current-thread () "This thread.")
(definterface interrupt-thread (thread function) "Has THREAD call FUNCTION.")
(definterface end-this-thread () "Ends the thread that calls.")
(definterface pause () "Waits a tenth of a second.")

(definterface update-value (symbol change)
  "Sets SYMBOL to the value of CHANGE of its value. Other threads of the image may do the same at the same time."
  (set symbol (funcall change (symbol-value symbol))))

;;; Text and files.

(definterface decode-text (octets) "The text that is UTF-8 in OCTETS.")
(definterface file-text (path) "The text of the file at a native path. What is not UTF-8 becomes U+FFFD or an error.")
(definterface native-path (path) "The pathname for a path as other programs write it.")
(definterface native-namestring (pathname) "The path of PATHNAME as other programs write it.")

;;; Evaluation.

(definterface call-with-debugger-hook (hook function)
  "Calls FUNCTION. Whatever enters the debugger meanwhile calls HOOK with the condition and a hook.")

(defmacro with-debugger-hook ((hook) &body body)
  "Evaluates BODY with HOOK instead of the debugger."
  `(flet ((hooked () ,@body))
     (call-with-debugger-hook ,hook #'hooked)))

(definterface set-debugger-hook (hook) "Has every thread call HOOK instead of the debugger.")

(definterface call-afresh (function)
  "Calls FUNCTION without the handlers and restarts that were established around the worker."
  (funcall function))

(definterface call-debuggably (function)
  "Calls FUNCTION. What it compiles keeps its variables for the debugger."
  (funcall function))

(definterface call-refusing-exit (function)
  "Calls FUNCTION. Returns its value, or (:EXIT code) when the code asked the Lisp to exit."
  (funcall function))

(definterface call-with-loading-file (file function)
  "Calls FUNCTION as LOAD would evaluate the forms of FILE, a native path, with a function that evaluates one: called with a
form, its number counted from 0, and its position, so that the Lisp knows where definitions are."
  (funcall function (lambda (form number position)
                      (declare (ignore number position))
                      (eval form))))

(definterface recover-from (condition)
  "Called after the stack of CONDITION was unwound."
  nil)

;;; Conditions.

(definterface report-condition (condition stream)
  "Writes the report of CONDITION, without what is a field of the outcome."
  (princ condition stream))

(definterface no-room-to-describe-p (condition)
  "Whether the stack is too full to look at it before it is unwound."
  nil)

(definterface compiler-failure-p (condition)
  "Whether the compiler reports an error by CONDITION, replaces the form and goes on."
  nil)

(definterface compile-error-p (condition)
  "Whether code runs that could not be compiled."
  nil)

(definterface note-compiler-verdict (condition)
  "Tells the running compiler about a warning before it is muffled."
  nil)

(definterface missing-package-name (condition)
  "The name of the package that CONDITION misses, or NIL."
  (undesignated-package-name condition))

(definterface not-external-p (condition) "Whether the reader found that a symbol is not external.")

(definterface root-condition (condition)
  "The innermost condition that CONDITION wraps, or CONDITION itself."
  condition)

(definterface restart-interactive-function (restart)
  "What computes the arguments of RESTART when a user has chosen it, or NIL.")

;;; The stack.

(definterface map-frames (function) "Calls FUNCTION with each frame of the stack, innermost first.")
(definterface frame-name (frame) "The name of the function of a frame, or NIL.")

(definterface frame-call (frame)
  "The name of the function of a frame as its author knows it, and its arguments; NIL if they are unknown."
  nil)

(definterface argument-available-p (argument)
  "Whether an argument of FRAME-CALL is the real one."
  t)

(definterface interrupted-anywhere-p (condition)
  "Whether the stack was left between any two instructions, so that a frame may not have its arguments yet."
  nil)

(definterface method-frame-name (name)
  "NAME, the name of a frame, without the Lisp's prefix if it is of a method; or NIL."
  nil)

(definterface entered-function-name ()
  "The name of the function that was called last, if it is still checking its arguments; or NIL."
  nil)

(definterface frame-locals (frame)
  "An alist of names and values of the variables that are still there.")

(definterface evaluate-in-frame (frame form) "The values of FORM in FRAME.")

(definterface own-package-name-p (name) "Whether a package with this name belongs to the Lisp.")

;;; What the Lisp knows about definitions.

(definterface function-lambda-list (function) "The lambda list, and whether it is known.")
(definterface function-name (function) "The name of a function, or NIL.")
(definterface special-variable-p (symbol) "Whether SYMBOL is proclaimed special.")
(definterface derived-type-p (symbol) "Whether DEFTYPE has defined SYMBOL.")

(definterface definition-location (name kind)
  "Where NAME was defined as KIND, such as \"function\" or \"class\"; NIL if that is unknown.")

(definterface method-location (method) "Where METHOD was defined; NIL if that is unknown.")

(definterface places-by-text-p ()
  "Whether files are searched for definitions, because the Lisp keeps few locations."
  nil)

(definterface references (symbol relation)
  "Code that uses SYMBOL: lists of a name, a kind and a function that returns its location or NIL. RELATION is :CALLS,
:CALLERS, :REFERENCES, :BINDERS, :SETTERS or :MACROEXPANDERS.")

(definterface stack-location (accepted-p)
  "Where the innermost code on the stack comes from whose file, a native path, is accepted; or NIL."
  nil)

(definterface loaded-form-position (file)
  "The position of the top-level form of FILE, a native path, that is being loaded as source; or NIL.")

;;; The compiler and other tools.

(definterface call-with-compiler-conditions (function note)
  "Calls FUNCTION. Calls NOTE with a kind, a condition and a location or NIL for what the compiler says of files.")

(definterface compiler-message (text)
  "TEXT, the report of a condition of the compiler, without what its location says."
  text)

(definterface reader-failure (condition)
  "Of an error of the compiler about a file that can't be read: the reader's own condition, a line and a column; or NIL."
  nil)

(definterface call-without-notes (function)
  "Calls FUNCTION without the compiler's notes and warnings about redefinitions."
  (funcall function))

(definterface compile-form (form note)
  "Compiles FORM, which is not run. Calls NOTE with a kind, a condition or text, and the path to the subform it is about.")

(definterface function-of-lambda (expression)
  "The function of a lambda expression, in the form that can be disassembled."
  (compile nil expression))

(definterface watch-function (symbol tracer)
  "Calls TRACER with the original function and a list of arguments in place of the function of SYMBOL. Returns a function
that undoes this.")

(definterface expand-everything (form) "FORM with all macros in it expanded.")

(definterface profile-call (function)
  "Calls FUNCTION. Returns a list of its values and rows (name self total): where the time went, in percent, as text.")
