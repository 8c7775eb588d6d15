;;;; Where SBCL says that definitions, references, errors and complaints of its compiler are.

(in-package :hawser-worker)

(defun native-namestring (pathname) (sb-ext:native-namestring pathname))

(defun introspect (name &rest arguments)
  "Calls a function of SB-INTROSPECT."
  (unless (find-package "SB-INTROSPECT") (require :sb-introspect))
  (apply (find-symbol name "SB-INTROSPECT") arguments))

(defun code-place (location)
  "Where the code at a location of SB-DI comes from; NIL if it comes from no file."
  (let* ((source (sb-di:code-location-debug-source location))
         (file (sb-c::debug-source-namestring source)))
    (when (and file (probe-file file))
      (place-in-file (native-name (probe-file file))
                     ;; ASDF evaluates parts of a system definition; they know the file and no place in it.
                     (unless (equal (pathname-type file) "asd")
                       (ignore-errors (sb-di:code-location-toplevel-form-offset location)))))))

(defun function-place (function)
  (let ((code (sb-kernel:%fun-fun function)))
    (code-place (sb-di:debug-fun-start-location (sb-di:fun-debug-fun code)))))

(defun native-place (name kind)
  (cond ((string= kind "function") (function-place (fdefinition name)))
        ((string= kind "macro") (function-place (macro-function name)))
        (t (let ((type (cdr (assoc kind '(("generic-function" . :generic-function) ("variable" . :variable)
                                          ("constant" . :constant) ("class" . :class) ("structure" . :structure)
                                          ("condition" . :condition) ("type" . :type) ("symbol-macro" . :symbol-macro))
                                   :test #'string=))))
             (and type
                  (some #'source-place (introspect "FIND-DEFINITION-SOURCES-BY-NAME" name type)))))))

(defun source-place (source)
  "The place in a definition source of SB-INTROSPECT, or NIL."
  (let ((file (introspect "DEFINITION-SOURCE-PATHNAME" source))
        (path (introspect "DEFINITION-SOURCE-FORM-PATH" source)))
    (when (and file (probe-file file))
      (place-in-file (native-name (probe-file file)) (first path) (rest path)))))

;;; Methods.

(defun generic-methods (function) (sb-mop:generic-function-methods function))

(defun class-methods (class) (sb-mop:specializer-direct-methods class))

(defun method-parts (method)
  "Its name, its qualifiers and the names of its specializers."
  (values (sb-mop:generic-function-name (sb-mop:method-generic-function method))
          (method-qualifiers method)
          (loop for specializer in (sb-mop:method-specializers method)
                collect (if (typep specializer 'class)
                            (class-name specializer)
                            (list 'eql (sb-mop:eql-specializer-object specializer))))))

(defun accessor-method-p (method) (typep method 'sb-mop:standard-accessor-method))

(defun native-method-place (method)
  (source-place (introspect "FIND-DEFINITION-SOURCE" method)))

;;; Cross references.

(defun cross-references (symbol relation)
  (flet ((who (name)
           (loop for (found . source) in (call-with-sound-sources (lambda () (introspect name symbol)))
                 collect (reference found source)))
         (functions-of (name)
           (when (fboundp symbol)
             (loop for code in (code-functions symbol)
                   append (loop for function in (introspect name code)
                                ;; A function that is called and not defined is NIL here.
                                when function
                                  collect (reference (sb-kernel:%fun-name function) nil function))))))
    (if (eq relation :specializers)
        (specializer-findings symbol)
        (sorted-references
         (ecase relation
           (:calls (functions-of "FIND-FUNCTION-CALLEES"))
           (:callers (append (who "WHO-CALLS") (functions-of "FIND-FUNCTION-CALLERS")))
           (:references (who "WHO-REFERENCES"))
           (:binders (who "WHO-BINDS"))
           (:setters (who "WHO-SETS"))
           (:macroexpanders (who "WHO-MACROEXPANDS")))))))

(defun sorted-references (references)
  "Sorts references: SBCL lists them in no fixed order."
  (let ((unique (remove-duplicates references :key #'car :test #'equal :from-end t)))
    (mapcar #'third (sort (loop for (name . make) in unique collect (list (outline name 200) name make))
                          #'string< :key #'first))))

(defun code-functions (symbol)
  "The functions that have the code of SYMBOL's function: those of its methods, if it is generic."
  (let ((function (or (macro-function symbol) (fdefinition symbol))))
    (if (typep function 'generic-function)
        (loop for method in (generic-methods function)
              for code = (method-code method)
              when code collect code)
        (list (sb-kernel:%fun-fun function)))))

(defun method-code (method)
  (let* ((function (sb-mop:method-function method))
         (fast (internal "SB-PCL" "%METHOD-FUNCTION-FAST-FUNCTION"))
         (code (or (and fast (fboundp fast) (ignore-errors (funcall fast function))) function)))
    (and (functionp code) (sb-kernel:%fun-fun code))))

(defun reference (name source &optional function)
  "A pair of a name and of a function that makes the finding."
  (cons (plain-name name)
        (lambda ()
          (finding (cond ((consp name) (if (method-name-p name) "method" "function"))
                         ((macro-function name) "macro")
                         (t "function"))
                   (outline (plain-name name) 200) nil
                   (or (and source (ignore-errors (source-place source)))
                       (and function (ignore-errors (function-place function)))
                       (evaluated-place :function name))))))

(defun method-name-p (name)
  (and (consp name) (member (first name) '(sb-pcl::fast-method sb-pcl::slow-method method :method)) t))

(defun plain-name (name)
  "The name of a method without SBCL's prefix."
  (if (method-name-p name) (rest name) name))

(defun call-with-sound-sources (function)
  "SB-INTROSPECT fails on every function of a file whose load has failed, and then all of its lists do."
  (introspect "FIND-DEFINITION-SOURCES-BY-NAME" 'car :function)
  (let ((name (find-symbol "FIND-FUNCTION-DEFINITION-SOURCE" "SB-INTROSPECT"))
        (make (find-symbol "MAKE-DEFINITION-SOURCE" "SB-INTROSPECT")))
    (sb-int:encapsulate name 'hawser-worker
                        (lambda (original &rest arguments)
                          (handler-case (apply original arguments)
                            (error () (funcall make)))))
    (unwind-protect (funcall function)
      (sb-int:unencapsulate name 'hawser-worker))))

;;; Errors.

(defun error-place (condition)
  "Where the innermost code on the stack is that belongs to the user's files, or to the file in work."
  (declare (ignore condition))
  (or (compiler-place (compiler-context))
      (let ((looked-at 0))
        (block walk
          (sb-debug::map-backtrace
           (lambda (frame)
             (when (> (incf looked-at) 300) (return-from walk nil))
             (let* ((location (sb-di:frame-code-location frame))
                    (file (ignore-errors (sb-c::debug-source-namestring (sb-di:code-location-debug-source location)))))
               (when (and file (or (equal file (loading-file *loading*)) (own-file-p file)))
                 (return-from walk (code-place location))))))
          nil))))

(defun loaded-form-place (file)
  "The top-level form of FILE that is being loaded as source, or NIL. LOAD keeps it in its stream."
  (let ((position-of (internal "SB-IMPL" "FORM-TRACKING-STREAM-FORM-START-CHAR-POS")))
    (sb-debug::map-backtrace
     (lambda (frame)
       (when (eq (sb-di:debug-fun-name (sb-di:frame-debug-fun frame)) (internal "SB-FASL" "LOAD-AS-SOURCE"))
         (let ((stream (first (nth-value 1 (sb-debug::frame-call frame)))))
           (when (equal file (native-name (pathname stream)))
             (return-from loaded-form-place (place-of-position file (funcall position-of stream))))))))
    nil))

(defun missing-package-name (condition) (undesignated-package-name condition))

(defun not-external-p (condition)
  (and (typep condition 'sb-int:simple-reader-package-error) (null (missing-package-name condition))))

;;; The compiler.

(defun compiler-context ()
  (let ((find-context (internal "SB-C" "FIND-ERROR-CONTEXT")))
    (and find-context (fboundp find-context) (funcall find-context nil))))

(defun context-path (context)
  "Where the compiler is: the number of the top-level form and indices of subforms, outermost first."
  (let ((path-of (internal "SB-C" "COMPILER-ERROR-CONTEXT-ORIGINAL-SOURCE-PATH")))
    (and context path-of (fboundp path-of) (reverse (funcall path-of context)))))

(defun compiler-place (context)
  (let* ((name-of (internal "SB-C" "COMPILER-ERROR-CONTEXT-FILE-NAME"))
         (file (and context name-of (funcall name-of context)))
         (path (context-path context)))
    (when (pathnamep file) (place-in-file (native-name file) (first path) (rest path)))))

(defun compiler-remarks (form text start)
  "What the compiler says of FORM, read from TEXT at START: lists of a kind, a message and a position."
  (let ((remarks '()))
    (flet ((remark (kind)
             (lambda (condition)
               (push (list kind (let ((*package* (job-package *job*))) (condition-text condition 1000))
                           ;; The first two indices lead to the lambda expression and into it.
                           (or (position-in-text text start (cddr (context-path (compiler-context)))) start))
                     remarks)
               (let ((restart (find-restart 'muffle-warning condition)))
                 (when restart (invoke-restart restart))))))
      (handler-bind ((sb-c:compiler-error (remark "error"))
                     (sb-ext:compiler-note (remark "note"))
                     (style-warning (remark "style-warning"))
                     (warning (remark "warning")))
        (let ((*error-output* (make-broadcast-stream)))
          (compile nil `(lambda () ,form)))))
    (remove-duplicates (nreverse remarks) :test #'equal)))

(defun call-noting-diagnostics (function)
  (flet ((note (kind)
           (lambda (condition)
             (unless (or (typep condition 'sb-kernel:redefinition-warning)
                         (of-loader-p condition))
               (let ((*package* (job-package *job*)))
                 (note-diagnostic kind (or (ignore-errors (unread-text condition)) (condition-text condition 1000))
                                  (or (ignore-errors (unread-place condition))
                                      (ignore-errors (compiler-place (diagnostic-context condition)))
                                      (and (loading-file *loading*) (not (undefined-name condition))
                                           (make-place :file (loading-file *loading*))))
                                  (ignore-errors (reader-advice (root-condition condition)))))))))
    (handler-bind ((sb-c:compiler-error (note "error"))
                   (style-warning (note "style-warning"))
                   (warning (note "warning")))
      (funcall function))))

;;; Reader errors in a file are nested: the compiler's error wraps one that has the position, which wraps the reader's own.

(defun input-error (condition)
  (let ((inside (and (typep condition 'sb-int:encapsulated-condition) (sb-int:encapsulated-condition condition))))
    (and (of-internal-type-p inside (internal "SB-C" "INPUT-ERROR-IN-COMPILE-FILE")) inside)))

(defun root-condition (condition)
  "The innermost condition that CONDITION wraps, or CONDITION itself."
  (if (typep condition 'sb-int:encapsulated-condition)
      (root-condition (sb-int:encapsulated-condition condition))
      condition))

(defun unread-text (condition)
  (let ((from-reader (and (input-error condition) (sb-int:encapsulated-condition (input-error condition)))))
    (cond ((null from-reader) nil)
          ((typep from-reader 'end-of-file) *unclosed-form-text*)
          ;; The first paragraph; the others name the stream.
          (t (let ((text (condition-text from-reader 1000)))
               (subseq text 0 (search (format nil "~2%") text)))))))

(defun unread-place (condition)
  (let ((failure (input-error condition)))
    (when failure
      (destructuring-bind (line . column)
          (or (funcall (internal "SB-C" "INPUT-ERROR-IN-COMPILE-FILE-LINE/COL") failure)
              (let ((known (funcall (internal "SB-INT" "STREAM-ERROR-POSITION-INFO") (stream-error-stream failure))))
                (cons (second (assoc :line known)) (second (assoc :column known)))))
        (make-place :file (loading-file *loading*) :line line :column column)))))

(defun call-without-notes (function)
  "A macro that is compiled and then loaded is redefined."
  (handler-bind (((or sb-ext:compiler-note sb-kernel:redefinition-warning) #'muffle-warning)) (funcall function)))

(defun of-loader-p (condition)
  "ASDF and UIOP repeat in their own words what the compiler has said."
  (let* ((package (symbol-package (type-of-condition condition)))
         (name (or (and package (package-name package)) "")))
    (or (starts-at-p "ASDF" name 0) (starts-at-p "UIOP" name 0))))

(defun diagnostic-context (condition)
  "The compiler's context. Undefined functions and variables are reported at the end: for these, the context of the first use."
  (or (compiler-context)
      (let* ((name (undefined-name condition))
             (entry (and name (find name (internal-value (internal "SB-C" "*UNDEFINED-WARNINGS*"))
                                    :key (internal "SB-C" "UNDEFINED-WARNING-NAME") :test #'equal))))
        (and entry (first (funcall (internal "SB-C" "UNDEFINED-WARNING-WARNINGS") entry))))))

(defun undefined-name (condition)
  (and (typep condition 'simple-condition)
       (stringp (simple-condition-format-control condition))
       (search "undefined" (simple-condition-format-control condition))
       (find-if (lambda (argument) (and argument (or (symbolp argument) (consp argument)) (not (keywordp argument))))
                (reverse (simple-condition-format-arguments condition)))))
