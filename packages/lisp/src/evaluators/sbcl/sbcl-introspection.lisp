;;;; What SBCL knows about definitions, and says about code.

(in-package :hawser-worker)

(defun function-lambda-list (function)
  "The lambda list, and whether it is known."
  (values (if (typep function 'generic-function)
              (sb-mop:generic-function-lambda-list function)
              (sb-kernel:%fun-lambda-list function))
          t))

(defun special-variable-p (symbol)
  (eq (sb-int:info :variable :kind symbol) :special))

(defun class-parents (class) (sb-mop:class-direct-superclasses class))

(defun class-slot-texts (class)
  (sb-mop:finalize-inheritance class)
  (loop for slot in (sb-mop:class-slots class)
        collect (cons (symbol-text (sb-mop:slot-definition-name slot))
                      (outline (sb-mop:slot-definition-type slot) 200))))

(defun object-slots (object)
  (loop for slot in (sb-mop:class-slots (class-of object))
        for name = (sb-mop:slot-definition-name slot)
        collect (cons name (if (slot-boundp object name) (slot-value object name) :unbound))))

;;; Cross references.

(defun cross-references (symbol relation)
  (require :sb-introspect)
  (flet ((who (name) (mapcar #'car (funcall (find-symbol name "SB-INTROSPECT") symbol)))
         (of-function (name)
           (when (fboundp symbol)
             (loop for function in (funcall (find-symbol name "SB-INTROSPECT")
                                            (or (macro-function symbol) (fdefinition symbol)))
                   ;; A function that is called and not defined is NIL here.
                   when function collect (sb-kernel:%fun-name function)))))
    (name-findings
     (ecase relation
       (:calls (of-function "FIND-FUNCTION-CALLEES"))
       (:callers (append (of-function "FIND-FUNCTION-CALLERS") (who "WHO-CALLS")))
       (:references (who "WHO-REFERENCES"))
       (:binders (who "WHO-BINDS"))
       (:setters (who "WHO-SETS"))
       (:macroexpanders (who "WHO-MACROEXPANDS"))
       (:specializers (who "WHO-SPECIALIZES-DIRECTLY"))))))

(defun name-findings (names)
  (loop for name in (remove-duplicates names :test #'equal)
        repeat most-findings
        collect (finding (if (and (symbolp name) (macro-function name)) "macro" "function") (outline name 200))))

;;; Compiling.

(defun compiler-remarks (form text start)
  "What the compiler says of FORM, read from TEXT at START: lists of a kind, a message and a position."
  (let ((remarks '()))
    (flet ((remark (kind)
             (lambda (condition)
               (push (list kind (let ((*package* (job-package *job*))) (condition-text condition 1000))
                           (or (position-in-text text start (compiler-path)) start))
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

(defun compiler-path ()
  "Where the compiler is in the form it was given: indices of subforms, outermost first."
  (let* ((find-context (internal "SB-C" "FIND-ERROR-CONTEXT"))
         (path-of (internal "SB-C" "COMPILER-ERROR-CONTEXT-ORIGINAL-SOURCE-PATH"))
         (context (and find-context path-of (fboundp path-of) (funcall find-context nil))))
    ;; The first two lead to the lambda expression and into it.
    (and context (cddr (reverse (funcall path-of context))))))
