;;;; The stack frames of evaluated code below an error.

(in-package :hawser-worker)

(defstruct frame
  "A frame of an open error: its text, and the engine's own object."
  text native)

(defconstant +max-looked-at+ 300 "How many frames of the stack are looked at.")

(defun collect-frames (condition most)
  "The innermost MOST frames of evaluated code, from the one that entered the debugger outwards; and how many there are,
as far as the stack was looked at."
  (let ((frames '()) (count 0) (looked-at 0) (bare (interrupted-anywhere-p condition)))
    (block walk
      (map-frames
       (lambda (native)
         (let ((name (frame-name native)))
           (when (or (member name '(evaluate-form perform)) (> (incf looked-at) +max-looked-at+))
             (return-from walk))
           (when (and (user-function-name-p name) (<= (incf count) most))
             (push (make-frame :text (call-text name native bare) :native native) frames))))))
    (values (nreverse frames) count)))

(defun user-function-name-p (name)
  "Whether a function with this name is evaluated code, not the Lisp's or the worker's."
  (cond ((null name) nil)
        ((symbolp name) (user-symbol-p name))
        ((atom name) nil)
        ((method-frame-name name) (user-function-name-p (first (method-frame-name name))))
        (t (case (first name)
             ((lambda flet labels)
              (let ((home (getf (member :in name) :in)))
                (if home (user-function-name-p home) (eq (first name) 'lambda))))
             ((setf macro-function compiler-macro-function) (user-function-name-p (second name)))
             (t (some (lambda (part) (and part (symbolp part) (user-symbol-p part))) name))))))

(defun user-symbol-p (symbol)
  (let ((home (symbol-package symbol)))
    (and home
         (not (eq home (load-time-value (find-package :common-lisp))))
         (not (eq home *keywords*))
         (not (system-package-p home)))))

(defvar *worker-packages*
  (loop for name in '("" "/SBCL" "/ECL" "/BACKEND" "/MOP" "/GRAY" "/JSON" "/SOURCE-TEXT")
        for package = (find-package (concatenate 'string "HAWSER-WORKER" name))
        when package collect package)
  "The packages of the worker. Each comes before those that it uses.")

(defun system-package-p (package)
  "Whether PACKAGE belongs to the Lisp, to the worker or to a library that loads systems. Its functions are not the user's."
  (let ((name (or (and package (package-name package)) "")))
    (or (own-package-name-p name)
        (member package *worker-packages*)
        (some (lambda (prefix) (starts-at-p prefix name 0)) '("ASDF" "UIOP" "QL-" "QUICKLISP" "SWANK" "SLYNK")))))

(defun call-text (name native bare)
  "The call in a frame. BARE is true if its arguments can't be trusted."
  (multiple-value-bind (plain-name arguments) (if bare nil (frame-call native))
    (cond ((and (not bare) (equal name '(lambda ()))) "(top-level form)")
          ((null plain-name) (concatenate 'string "(" (outline name 80) " ...)"))
          (t (with-output-to-string (out)
               (write-char #\( out)
               (write-string (outline plain-name 80) out)
               (loop for argument in arguments
                     repeat 12
                     do (write-char #\Space out)
                        (write-string (if (argument-available-p argument) (outline argument 120) "#<unavailable>") out))
               (write-char #\) out))))))
