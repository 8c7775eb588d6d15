;;;; What symbols name. Nothing here runs evaluated code: values are shown in outline, without its print methods.

(in-package :hawser-worker)

(defun finding (kind name &optional detail place)
  (list :object "kind" kind "name" name "detail" (or detail :absent) "place" (if place (place-json place) :absent)))

(defun report-findings (findings)
  "The requested page of FINDINGS. A finding that is slow to make can be a function that returns it."
  (let ((offset (job-offset *job*)) (total (length findings)))
    (report-page (loop for finding in (nthcdr offset findings)
                       repeat (job-limit *job*)
                       collect (if (functionp finding) (funcall finding) finding))
                 total)))

(defun report-page (findings total)
  "Reports one page of findings. TOTAL is the number of all findings, or NIL if that is unknown."
  (setf (job-findings *job*) (or findings :none)
        (job-total *job*) total))

;;; Names as a user writes them. Looking one up interns no symbol.

(defun symbol-called (written)
  (let* ((text (symbol-name-in written))
         (colon (position #\: text :end (position #\| text)))
         (package (cond ((null colon) *package*)
                        ((zerop colon) *keywords*)
                        (t (package-named (subseq text 0 colon)))))
         (name (string-left-trim ":" (if colon (subseq text colon) text)))
         (exact (string-trim "|" name)))
    (loop for candidate in (if (string= name exact) (list (string-upcase name) name) (list exact))
          do (multiple-value-bind (symbol found) (find-symbol candidate package)
               (when found (return symbol)))
          finally (refuse "There is no symbol " name " in the package " (package-name package)
                          ". Search with apropos-search, or name its package."))))

(defun symbol-name-in (written)
  "The name of a symbol that is written as in code: NAME, 'NAME, #'NAME or (SETF NAME)."
  (let ((text (string-left-trim "#'" (string-trim '(#\Space #\Tab #\Newline #\Return) written))))
    (cond ((not (starts-at-p "(" text 0)) text)
          ((starts-at-p "(setf " (string-downcase text) 0)
           (symbol-name-in (string-right-trim ")" (subseq text (length "(setf ")))))
          (t (refuse "Give the name of a symbol, such as alexandria:flatten, not a form.")))))

;;; Aspects of a symbol, each a list of a kind and, perhaps, a detail.

(defconstant +max-listed-detail+ 120 "How long a lambda list may be in a list of many symbols.")

(defun symbol-aspects (symbol &optional (limit +max-detail+))
  (remove nil (list (function-aspect symbol limit) (variable-aspect symbol) (class-aspect symbol) (type-aspect symbol))))

(defun function-aspect (name &optional (limit +max-detail+))
  "NAME is a symbol or a list (SETF symbol)."
  (cond ((and (symbolp name) (special-operator-p name)) (list "special-operator"))
        ((and (symbolp name) (macro-function name)) (list "macro" (lambda-list-text (macro-function name) limit)))
        ((not (fboundp name)) nil)
        ((typep (fdefinition name) 'generic-function)
         (list "generic-function" (lambda-list-text (fdefinition name) limit)))
        (t (list "function" (lambda-list-text (fdefinition name) limit)))))

(defun lambda-list-text (function limit)
  (multiple-value-bind (lambda-list known) (function-lambda-list function)
    (cond ((not known) nil)
          ((null lambda-list) "()")
          (t (let ((*package* (package-of-parameters lambda-list))) (outline lambda-list limit))))))

(defun package-of-parameters (lambda-list)
  "The package of the first parameter: most parameters need no prefix there. The list may be dotted."
  (loop for rest = lambda-list then (rest rest)
        while (consp rest)
        do (let ((part (first rest)))
             (when (and part (symbolp part) (symbol-package part) (not (member part lambda-list-keywords)))
               (return (symbol-package part))))
        finally (return *package*)))

(defun variable-aspect (symbol)
  (cond ((keywordp symbol) nil)
        ((and (constantp symbol) (boundp symbol)) (list "constant" (outline (symbol-value symbol) 200)))
        ((boundp symbol) (list "variable" (outline (symbol-value symbol) 200)))
        ((special-variable-p symbol) (list "variable" "unbound"))
        (t (multiple-value-bind (expansion expanded) (let ((*macroexpand-hook* #'funcall)) (macroexpand-1 symbol))
             (and expanded (list "symbol-macro" (outline expansion 200)))))))

(defun class-aspect (symbol)
  (let ((class (find-class symbol nil)))
    (when class
      (list (cond ((subtypep class 'condition) "condition")
                  ((typep class 'structure-class) "structure")
                  (t "class"))
            (let ((parents (class-direct-superclasses class)))
              (and parents (outline (mapcar #'class-name parents) 300)))))))

(defun type-aspect (symbol)
  (and (not (find-class symbol nil)) (derived-type-p symbol) (list "type")))

(defun symbol-findings (symbol &optional (limit +max-detail+))
  "For each aspect of SYMBOL a function that makes its finding."
  (loop for (kind detail) in (symbol-aspects symbol limit)
        collect (let ((kind kind) (detail detail))
                  (lambda () (finding kind (symbol-text symbol) detail (aspect-place symbol kind))))))

(defun setf-findings (symbol)
  "The function (SETF symbol) and its methods, if there is one."
  (let* ((name (list 'setf symbol)) (aspect (function-aspect name)))
    (when aspect
      (cons (lambda () (finding (first aspect) (outline name 300) (second aspect) (aspect-place name (first aspect))))
            (method-findings (function-methods name))))))

;;; Methods.

(defun symbol-methods (symbol)
  (unless (or (macro-function symbol) (special-operator-p symbol)) (function-methods symbol)))

(defun function-methods (name)
  (when (and (fboundp name) (typep (fdefinition name) 'generic-function))
    (generic-function-methods (fdefinition name))))

(defun method-findings (methods)
  (loop for method in methods
        collect (let ((method method))
                  (lambda ()
                    (multiple-value-bind (name qualifiers specializers) (method-parts method)
                      (finding "method" (outline (append (list name) qualifiers (list specializers)) 300) nil
                               (method-place method)))))))

(defun specializer-findings (symbol)
  (let ((class (find-class symbol nil)))
    (unless class (refuse (symbol-text symbol) " names no class."))
    (sort (mapcar #'funcall (method-findings (specializer-direct-methods class))) #'string< :key #'fifth)))

(defun each-once (symbols)
  "SYMBOLS without those that came before. There can be tens of thousands."
  (let ((seen (make-hash-table :test #'eq)))
    (remove-if (lambda (symbol) (shiftf (gethash symbol seen) t)) symbols)))

;;; The operations.

(defun list-definitions ()
  (let ((symbols '()) (package *package*))
    (do-symbols (symbol package)
      (when (eq (symbol-package symbol) package) (push symbol symbols)))
    (let ((sorted (sort (each-once symbols) #'string< :key #'symbol-name)) (listed '()))
      (report-findings
       (append (loop for symbol in sorted
                     do (setf listed (append (symbol-methods symbol) (function-methods (list 'setf symbol)) listed))
                     append (symbol-findings symbol +max-listed-detail+)
                     append (method-findings (symbol-methods symbol))
                     append (setf-findings symbol))
               ;; Methods of other packages' functions on classes of this one, such as PRINT-OBJECT.
               (loop for symbol in sorted
                     for class = (find-class symbol nil)
                     when class
                       append (method-findings (set-difference (specializer-direct-methods class) listed))))))))

(defun apropos-symbols (text package)
  (let* ((symbols (each-once (if package (apropos-list text (package-named package)) (apropos-list text))))
         (ranked (loop for symbol in symbols collect (cons (distance symbol) symbol))))
    (report-findings
     (loop for (distance . symbol) in (sort ranked #'nearer-p)
           append (or (symbol-findings symbol +max-listed-detail+)
                      ;; Skip symbols of the Lisp itself that name nothing.
                      (and (< distance 2) (list (finding "symbol" (symbol-text symbol)))))))))

(defun distance (symbol)
  "Sort rank: 0 for symbols accessible in the current package, 1 for other symbols of the user, 2 for exported symbols of the
Lisp, 3 for the rest."
  (let ((home (symbol-package symbol)))
    (cond ((eq symbol (find-symbol (symbol-name symbol) *package*)) 0)
          ((and home (not (eq home *keywords*)) (not (system-package-p home))) 1)
          ((and home (eq :external (nth-value 1 (find-symbol (symbol-name symbol) home)))) 2)
          (t 3))))

(defun nearer-p (one other)
  (if (= (car one) (car other))
      (string< (symbol-name (cdr one)) (symbol-name (cdr other)))
      (< (car one) (car other))))

(defun describe-symbol (text)
  (let ((symbol (symbol-called text)))
    (report-findings
     (append (symbol-findings symbol)
             (method-findings (symbol-methods symbol))
             (setf-findings symbol)
             (loop for (kind . name) in '((function . "function") (variable . "variable") (type . "type"))
                   for text = (ignore-errors (known-documentation symbol kind))
                   when text
                     collect (finding "documentation" name (cut-documentation text symbol name)))
             (let ((class (find-class symbol nil)))
               (when class
                 (loop for slot in (if (class-finalized-p class) (class-slots class) (class-direct-slots class))
                       collect (finding "slot" (symbol-text (slot-definition-name slot))
                                        (outline (slot-definition-type slot) 200)))))
             (list (finding "package" (let ((home (symbol-package symbol)))
                                        (if home (package-name home) "none"))))))))

(defun find-definitions (text)
  (let ((symbol (symbol-called text)))
    (report-findings (append (symbol-findings symbol) (method-findings (symbol-methods symbol))
                             (setf-findings symbol)))))

(defvar *documentation-methods* (generic-function-methods #'documentation)
  "The methods of the Lisp itself. Evaluated code may define more; looking up must not run them.")

(defun known-documentation (symbol kind)
  (when (subsetp (compute-applicable-methods #'documentation (list symbol kind)) *documentation-methods*)
    (documentation symbol kind)))

(defun cut-documentation (text symbol kind)
  (if (<= (length text) 2000)
      text
      (concatenate 'string (cut-to text 2000) " (2000 of " (decimal (length text)) " characters; evaluate (documentation '"
                   (symbol-text symbol) " '" kind ") for all)")))

(defun cut-to (text limit)
  (if (> (length text) limit) (cut-text (subseq text 0 limit)) text))

(defun find-references (text relation)
  (let ((symbol (symbol-called text)))
    (report-findings (if (eq relation :specializers)
                         (specializer-findings symbol)
                         (reference-findings (references symbol relation))))))

(defun reference-findings (references)
  "Functions that make findings of REFERENCES, each once, sorted by name: engines list them in no fixed order."
  (let ((unique (remove-duplicates references :key #'first :test #'equal :from-end t)))
    (mapcar #'cdr (sort (loop for (name kind location) in unique
                              collect (cons (outline name 200) (reference-finder name kind location)))
                        #'string< :key #'car))))

(defun reference-finder (name kind location)
  (lambda ()
    (finding kind (outline name 200) nil
             (or (ignore-errors (location-place (funcall location)))
                 (evaluated-place :function name)))))

(defun complete-symbol (text)
  "Symbols that begin with TEXT, as they are written in the current package."
  (let* ((colon (position #\: text))
         (package (cond ((null colon) *package*)
                        ((zerop colon) *keywords*)
                        (t (package-named (subseq text 0 colon)))))
         (all (or (null colon) (starts-at-p "::" text colon) (eq package *keywords*)))
         (prefix (string-left-trim ":" (if colon (subseq text colon) text)))
         (qualifier (string-upcase (subseq text 0 (- (length text) (length prefix)))))
         (symbols '()))
    (flet ((consider (symbol)
             (let ((name (symbol-name symbol)))
               (when (and (<= (length prefix) (length name)) (string-equal prefix name :end2 (length prefix)))
                 (push symbol symbols)))))
      (if all
          (do-symbols (symbol package) (consider symbol))
          (do-external-symbols (symbol package) (consider symbol))))
    (report-findings
     (loop for symbol in (sort (each-once symbols) #'string< :key #'symbol-name)
           collect (let ((symbol symbol))
                     (lambda () (let ((aspect (first (symbol-aspects symbol +max-listed-detail+))))
                                  (finding (or (first aspect) "symbol")
                                           (concatenate 'string qualifier (symbol-name symbol))
                                           (second aspect)))))))))

(defun undefine-symbol (text kind)
  "Removes what a symbol names."
  (let ((symbol (symbol-called text)) (removed '()))
    (flet ((wanted (name) (or (null kind) (string= kind name)))
           (note (name) (push (finding "removed" (symbol-text symbol) name) removed)))
      (when (and (wanted "function") (fboundp symbol) (not (special-operator-p symbol)))
        (let ((name (first (function-aspect symbol))))
          (fmakunbound symbol)
          (note name)))
      (when (and (wanted "variable") (boundp symbol) (not (constantp symbol)))
        (makunbound symbol)
        (note "variable"))
      (when (and (wanted "class") (find-class symbol nil))
        (setf (find-class symbol) nil)
        (note "class")))
    (report-findings (nreverse removed))))
