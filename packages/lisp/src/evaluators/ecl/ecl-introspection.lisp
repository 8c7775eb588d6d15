;;;; What ECL knows about its stack and its definitions.

(in-package :hawser-worker)

(defstruct frame text native)

(defun collect-frames (condition most)
  "The innermost MOST functions of evaluated code, by name: ECL keeps no arguments."
  (declare (ignore condition))
  (let ((frames '()))
    (loop with index = (si:ihs-top)
          while (and (plusp index) (< (length frames) most))
          do (let ((name (frame-name index)))
               (when (member name '(evaluate-form perform)) (return))
               (when (and name (user-symbol-p name))
                 (push (make-frame :text (concatenate 'string "(" (symbol-text name) " ...)") :native index) frames)))
             (setf index (si:ihs-prev index)))
    (nreverse frames)))

(defun frame-name (index)
  (let ((function (si:ihs-fun index)))
    (typecase function
      (symbol function)
      (function (let ((name (ignore-errors (si:compiled-function-name function))))
                  (and (symbolp name) name))))))

(defun user-symbol-p (symbol)
  (let ((home (symbol-package symbol)))
    (and home
         (not (member (package-name home) '("COMMON-LISP" "KEYWORD") :test #'string=))
         (not (system-package-p home)))))

(defun system-package-p (package)
  (and (member (package-name package) '("SI" "SYSTEM" "EXT" "CLOS" "MP" "FFI" "GRAY" "C" "COMPILER") :test #'string=)
       t))

(defun frame-locals (frame)
  (declare (ignore frame))
  (refuse "ECL does not tell the variables of a frame."))

(defun evaluate-in-frame (frame form)
  (declare (ignore frame form))
  (refuse "ECL cannot evaluate in a frame."))

(defun function-lambda-list (function)
  (ext:function-lambda-list function))

(defun special-variable-p (symbol) (si:specialp symbol))

(defun class-parents (class) (clos:class-direct-superclasses class))

(defun class-slot-texts (class)
  (loop for slot in (clos:class-slots class)
        collect (cons (symbol-text (clos:slot-definition-name slot))
                      (outline (clos:slot-definition-type slot) 200))))

(defun object-slots (object)
  (loop for slot in (clos:class-slots (class-of object))
        for name = (clos:slot-definition-name slot)
        collect (cons name (if (slot-boundp object name) (slot-value object name) :unbound))))

(defun cross-references (symbol relation)
  (declare (ignore symbol relation))
  (refuse "ECL keeps no cross references."))

(defun compiler-remarks (form text start)
  "Compiles to bytecodes, which finds what is no program; ECL says nothing else of code."
  (declare (ignore text))
  (let ((remarks '()))
    (handler-case
        (handler-bind ((warning (lambda (condition)
                                  (push (list "warning" (condition-text condition 1000) start) remarks)
                                  (muffle-warning condition))))
          (coerce `(lambda () ,form) 'function))
      (error (condition) (push (list "error" (condition-text condition 1000) start) remarks)))
    (nreverse remarks)))
