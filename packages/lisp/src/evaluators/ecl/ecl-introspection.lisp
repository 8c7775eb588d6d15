;;;; What ECL knows about its stack and its definitions.

(in-package :hawser-worker)

(defstruct frame text native)

(defun collect-frames (condition most)
  "The innermost MOST functions of evaluated code, by name: ECL keeps no arguments."
  (declare (ignore condition))
  (let ((frames '()) (count 0))
    (loop with index = (si:ihs-top)
          repeat 300
          while (plusp index)
          do (let ((name (frame-name index)))
               (when (member name '(evaluate-form perform)) (return))
               (when (and name (user-symbol-p name) (<= (incf count) most))
                 (push (make-frame :text (concatenate 'string "(" (symbol-text name) " ...)") :native index) frames)))
             (setf index (si:ihs-prev index)))
    (values (nreverse frames) count)))

(defun frame-name (index)
  (let ((function (si:ihs-fun index)))
    (typecase function
      (symbol function)
      (function (let ((name (ignore-errors (si:compiled-function-name function))))
                  (and (symbolp name) name))))))

(defun entered-function-name () nil)

(defun user-symbol-p (symbol)
  (let ((home (symbol-package symbol)))
    (and home
         (not (member (package-name home) '("COMMON-LISP" "KEYWORD") :test #'string=))
         (not (system-package-p home)))))

(defun system-package-p (package)
  (let ((name (or (and package (package-name package)) "")))
    (or (and (member name '("SI" "SYSTEM" "EXT" "CLOS" "MP" "FFI" "GRAY" "C" "COMPILER") :test #'string=) t)
        (some (lambda (prefix) (starts-at-p prefix name 0)) '("ECL-" "ASDF" "UIOP" "QL-" "QUICKLISP" "SWANK")))))

(defun frame-locals (frame)
  (declare (ignore frame))
  (refuse "ECL does not show the variables of a frame."))

(defun evaluate-in-frame (frame form)
  (declare (ignore frame form))
  (refuse "ECL cannot evaluate in a frame."))

(defun function-lambda-list (function)
  (ext:function-lambda-list function))

(defun special-variable-p (symbol) (si:specialp symbol))

(defun derived-type-p (symbol) (and (si:get-sysprop symbol 'si::deftype-definition) t))

(defun class-parents (class) (clos:class-direct-superclasses class))

(defun class-slot-texts (class)
  (loop for slot in (clos:class-slots class)
        collect (cons (symbol-text (clos:slot-definition-name slot))
                      (outline (clos:slot-definition-type slot) 200))))

(defun object-slots (object)
  (loop for slot in (clos:class-slots (class-of object))
        for name = (clos:slot-definition-name slot)
        collect (cons name (if (slot-boundp object name) (slot-value object name) :unbound))))

;;; Places.

(defun native-namestring (pathname) (namestring pathname))

(defun native-place (name kind)
  (cond ((string= kind "function") (file-place (fdefinition name)))
        ((string= kind "macro") (file-place (macro-function name)))
        (t (text-place name kind))))

(defun file-place (function)
  "ECL knows the file of compiled functions, and a position in it."
  (multiple-value-bind (file position) (ext:compiled-function-file function)
    (when (and file (probe-file file))
      (let* ((name (native-name (probe-file file))) (text (known-text name)))
        (if (and text (integerp position) (< -1 position (length text)))
            (multiple-value-bind (line column) (line-and-column text (skip-blanks text position))
              (make-place :file name :line line :column column))
            (make-place :file name))))))

(defun generic-methods (function) (clos:generic-function-methods function))

(defun class-methods (class) (clos:specializer-direct-methods class))

(defun method-parts (method)
  (values (clos:generic-function-name (clos:method-generic-function method))
          (method-qualifiers method)
          (loop for specializer in (clos:method-specializers method)
                collect (if (typep specializer 'clos:eql-specializer)
                            (list 'eql (clos:eql-specializer-object specializer))
                            (class-name specializer)))))

(defun accessor-method-p (method) (typep method 'clos:standard-accessor-method))

(defun native-method-place (method)
  (or (file-place (clos:method-function method))
      (multiple-value-call #'method-text-place (method-parts method))))

(defun cross-references (symbol relation)
  (if (eq relation :specializers)
      (specializer-findings symbol)
      (refuse "ECL keeps no cross references. Start the server with --engine sbcl for them.")))

(defun root-condition (condition) condition)

(defun error-place (condition) (declare (ignore condition)) nil)

(defun loaded-form-place (file)
  "The top-level form of FILE that is being loaded as source, or NIL."
  (destructuring-bind (loaded . position) ext:*source-location*
    (when (equal file (native-name (probe-file loaded)))
      (place-of-position file position))))

(defun missing-package-name (condition)
  "ECL's reader and its compiler signal a plain error whose text ends with the name."
  (or (undesignated-package-name condition)
      (let ((text (condition-text condition 300)))
        (loop for phrase in '("no package with the name " "no package with name ")
              for start = (search phrase text)
              when start
                return (string-trim "\"." (subseq text (+ start (length phrase))))))))

(defun not-external-p (condition)
  (and (typep condition 'reader-error) (search "external" (condition-text condition 300))))

(defun call-noting-diagnostics (function)
  (flet ((note (condition)
           (let ((kind (diagnostic-kind-of condition)))
             (when kind
               (note-diagnostic kind (compiler-message (condition-text condition 1000)) (diagnostic-place-of condition)
                                (ignore-errors (reader-advice condition)))
               (let ((restart (find-restart 'muffle-warning condition)))
                 (when restart (invoke-restart restart)))))))
    (handler-bind ((condition #'note)) (funcall function))))

(defun compiler-message (text)
  "TEXT of ECL's compiler without its first lines: kind, file, position and form. A mark precedes the message itself."
  (loop for start = 0 then (1+ end)
        for end = (position #\Newline text :start start)
        for mark = (position #\Space text :start start :test-not #'char=)
        for message = (and mark (find (char text mark) "!*") (position #\Space text :start mark))
        when message return (subseq text (1+ message))
        while end
        finally (return text)))

(defun call-without-notes (function) (funcall function))

(defun diagnostic-kind-of (condition)
  (let ((names (mapcar #'symbol-name (condition-names condition))))
    (flet ((is (name) (member name names :test #'string=)))
      (cond ((or (is "COMPILE-CONDITION") (is "COMPILER-NOTE")) nil)
            ((is "COMPILER-ERROR") "error")
            ((typep condition 'style-warning) "style-warning")
            ((typep condition 'warning) "warning")))))

(defun diagnostic-place-of (condition)
  "The compiler's conditions have a position in the file."
  (let* ((file (loading-file *loading*))
         (reader (and (find-package "C") (find-symbol "COMPILER-MESSAGE-FILE-POSITION" "C")))
         (position (and reader (fboundp reader) (ignore-errors (funcall reader condition))))
         (text (and file position (known-text file))))
    (cond ((and text (< -1 position (length text)))
           (multiple-value-bind (line column) (line-and-column text (skip-blanks text position))
             (make-place :file file :line line :column column)))
          (file (make-place :file file)))))

;;; Watching code.

(defun watch-function (symbol tracer)
  (let ((original (fdefinition symbol)))
    (setf (fdefinition symbol) (lambda (&rest arguments) (funcall tracer original arguments)))
    (lambda () (setf (fdefinition symbol) original))))

(defun expand-everything (form)
  (declare (ignore form))
  (refuse "ECL can't expand subforms. Use depth full."))

(defun disassembly (function)
  (with-output-to-string (*standard-output*) (disassemble function)))

(defun lambda-disassembly (form)
  "Disassembles bytecodes: ECL can't disassemble a compiled function."
  (disassembly (coerce form 'function)))

(defun profile-call (function)
  (declare (ignore function))
  (refuse "ECL has no statistical profiler. Start the server with --engine sbcl for one."))

;;; Compiling.

(defun compiler-remarks (form text start)
  "Compiles to bytecodes, which finds invalid forms; ECL says nothing else about code."
  (declare (ignore text))
  (let ((remarks '()))
    (handler-case
        (handler-bind ((warning (lambda (condition)
                                  (push (list "warning" (condition-text condition 1000) start) remarks)
                                  (muffle-warning condition))))
          (coerce `(lambda () ,form) 'function))
      (error (condition) (push (list "error" (condition-text condition 1000) start) remarks)))
    (or (nreverse remarks)
        (list (list "note" "The form is valid. ECL checks nothing else here; start the server with --engine sbcl for warnings." start)))))
