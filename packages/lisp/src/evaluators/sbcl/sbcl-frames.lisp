;;;; The stack frames of evaluated code below an error.

(in-package :hawser-worker)

;;; A frame of an open error: its text, and SBCL's own object.
(defstruct frame text native)

(defun collect-frames (condition most)
  "The innermost MOST frames of evaluated code, from the one that entered the debugger outwards; and how many there are,
as far as the stack was looked at."
  ;; A function that was stopped between two instructions may not have its arguments yet; their slots may then hold no
  ;; Lisp object.
  (let ((frames '()) (count 0) (looked-at 0) (stopped (typep condition '(or storage-condition sb-sys:memory-fault-error))))
    (block walk
      (sb-debug::map-backtrace
       (lambda (native)
         (let ((name (sb-di:debug-fun-name (sb-di:frame-debug-fun native))))
           (when (or (member name '(evaluate-form perform)) (> (incf looked-at) 300))
             (return-from walk))
           (when (and (user-function-name-p name) (<= (incf count) most))
             (push (make-frame :text (if stopped (name-text name) (call-text name native)) :native native) frames))))))
    (values (nreverse frames) count)))

(defun user-function-name-p (name)
  (typecase name
    (null nil)
    (symbol (user-symbol-p name))
    (string nil)
    (cons (case (first name)
            ((lambda flet labels)
             (let ((home (getf (member :in name) :in)))
               (if home (user-function-name-p home) (eq (first name) 'lambda))))
            ((setf sb-pcl::fast-method sb-pcl::slow-method macro-function compiler-macro-function)
             (user-function-name-p (second name)))
            (t (some (lambda (part) (and part (symbolp part) (user-symbol-p part))) name))))))

(defun user-symbol-p (symbol)
  (let ((home (symbol-package symbol)))
    (and home
         (not (eq home (load-time-value (find-package :common-lisp))))
         (not (eq home (load-time-value (find-package :keyword))))
         (not (system-package-p home)))))

(defun system-package-p (package)
  "Whether a package belongs to SBCL, or to a library that loads systems. Its functions are not the user's code."
  (let ((name (or (and package (package-name package)) "")))
    (some (lambda (prefix) (starts-at-p prefix name 0)) '("SB-" "ASDF" "UIOP" "QL-" "QUICKLISP" "SWANK"))))

(defun name-text (name)
  (concatenate 'string "(" (outline name 80) " ...)"))

(defun call-text (name native)
  (if (equal name '(lambda ()))
      "(top-level form)"
      (multiple-value-bind (plain-name arguments)
          (handler-case (sb-debug::frame-call native)
            (serious-condition () (values name '())))
        (with-output-to-string (out)
          (write-char #\( out)
          (write-outline plain-name out 3 80)
          (loop for argument in (and (listp arguments) arguments)
                repeat 12
                do (write-char #\Space out)
                   (write-string (argument-text argument) out))
          (write-char #\) out)))))

(defun argument-text (argument)
  (if (of-internal-type-p argument (internal "SB-DEBUG" "UNPRINTABLE-OBJECT")) "#<unavailable>" (outline argument 120)))

(defun entered-function-name ()
  "The name of the function that was called last, if it is still checking its arguments; or NIL."
  (sb-debug::map-backtrace
   (lambda (frame)
     (let ((function (sb-di:frame-debug-fun frame)))
       (return-from entered-function-name
         (and (member (sb-di:debug-fun-kind function) '(:external :more)) (sb-di:debug-fun-name function)))))))

;;; Looking into a frame.

(defun frame-locals (frame)
  "An alist of names and values of the variables that are still there."
  (let* ((native (frame-native frame))
         (location (sb-di:frame-code-location native))
         (locals '()))
    (handler-case
        (sb-di:do-debug-fun-vars (variable (sb-di:frame-debug-fun native))
          (when (eq (sb-di:debug-var-validity variable location) :valid)
            (push (cons (sb-di:debug-var-symbol variable) (sb-di:debug-var-value variable native)) locals)))
      (sb-di:debug-condition () nil))
    (nreverse locals)))

(defun evaluate-in-frame (frame form)
  (sb-di:eval-in-frame (frame-native frame) form))
