;;;; Running the tests of a system, and reading what test libraries keep about their results.

(in-package :hawser-worker)

(defstruct test-result
  "STATUS is :PASSED, :FAILED or :SKIPPED; one of TESTS is the name of the definition it belongs to."
  status name tests form reason place)

(defstruct test-run
  "The results of a run, newest first, those objects of the library that were seen, and the operators that define its tests."
  (library nil) (operators '()) (results '()) (seen (make-hash-table :test #'eq)))

(defun test-system (job name)
  (let ((run (make-test-run)) (name (system-name name)))
    (setf (job-tests job) run)
    (unwind-protect
         (operate-on-system job name
                            (lambda (name)
                              (load-one-system name)
                              (external-call "ASDF" "TEST-SYSTEM" name)))
      (ignore-errors (report-test-findings job name run)))
    (setf (job-values job) '())))

(defun report-test-findings (job name run)
  "The failed tests, then what the compiler said."
  (report-findings (append (failed-findings name run)
                           (let ((findings (job-findings job)))
                             (remove "system" (if (listp findings) findings '()) :key #'third :test #'string=)))))

(defun tests-json (run)
  (flet ((count-of (status) (count status (test-run-results run) :key #'test-result-status)))
    (list :object
          "library" (or (test-run-library run) :absent)
          "passed" (count-of :passed)
          "failed" (count-of :failed)
          "skipped" (count-of :skipped))))

(defun tests-failed-p (job)
  (let ((run (job-tests job)))
    (and run (find :failed (test-run-results run) :key #'test-result-status))))

(defun failed-findings (system run)
  (loop for result in (reverse (test-run-results run))
        when (eq (test-result-status result) :failed)
          collect (finding "failed" (test-result-name result)
                           (with-output-to-string (out)
                             (write-string (test-result-reason result) out)
                             (when (test-result-form result)
                               (format out "~%in ~a" (test-result-form result))))
                           (or (test-result-place result)
                               (loop for test in (test-result-tests result)
                                     thereis (test-place system test (test-run-operators run)))))))

(defun test-place (system test operators)
  "Where the source of SYSTEM defines TEST with one of OPERATORS."
  (let ((plain (string-trim "|:\"" (subseq test (let ((colon (position #\: test :from-end t))) (if colon (1+ colon) 0))))))
    (loop for file in (test-files system)
          thereis (loop for operator in operators
                        thereis (loop for mark in '("" "(" "#:" "\"" ":")
                                      thereis (place-of-text file (concatenate 'string operator " " mark plain)))))))

(defun test-files (system)
  "The source files of all systems that the .asd file of SYSTEM defines."
  (let ((primary (external-call "ASDF" "PRIMARY-SYSTEM-NAME" system)))
    (loop for name in (external-call "ASDF" "REGISTERED-SYSTEMS")
          when (string= primary (external-call "ASDF" "PRIMARY-SYSTEM-NAME" name))
            append (ignore-errors (source-files (external-call "ASDF" "FIND-SYSTEM" name))))))

(defun source-files (component)
  (if (typep component (find-symbol "PARENT-COMPONENT" "ASDF"))
      (mapcan #'source-files (external-call "ASDF" "COMPONENT-CHILDREN" component))
      (list (native-name (external-call "ASDF" "COMPONENT-PATHNAME" component)))))

;;; The libraries: while the tests run, the function that returns or records a library's results is watched.

(defvar *test-libraries*
  (let ((fiveam '("(test" "(def-test" "(5am:test" "(fiveam:test" "(5am:def-test" "(fiveam:def-test")))
    `(("FiveAM" "IT.BESE.FIVEAM" "RUN" note-fiveam-run ,fiveam)
      ;; ECL calls functions of the same file directly, so RUN is not enough.
      ("FiveAM" "IT.BESE.FIVEAM" "EXPLAIN" note-fiveam-explanation ,fiveam)
      ("Parachute" "ORG.SHIRAKUMO.PARACHUTE" "TEST" note-parachute-report ("(define-test" "(parachute:define-test"))
      ("Rove" "ROVE/CORE/STATS" "RECORD" note-rove-record ("(deftest" "(rove:deftest"))))
  "Lists of a library, a package and a function in it, what reads its results, and how definitions of tests begin.")

(defvar *watching-tests* nil "True while the functions of test libraries are watched.")

(defun call-watching-tests (function)
  (if *watching-tests*
      (funcall function)
      (let ((run (or (job-tests *job*) (make-test-run))) (*watching-tests* t) (undo '()))
        (unwind-protect
             (progn
               (loop for (library package name note operators) in *test-libraries*
                     for symbol = (and (find-package package) (find-symbol name package))
                     when (and symbol (fboundp symbol))
                       do (push (watch-function symbol (result-watcher run library operators note)) undo))
               (funcall function))
          (mapc #'funcall undo)))))

(defun result-watcher (run library operators note)
  (lambda (original arguments)
    (let ((values (multiple-value-list (apply original arguments))))
      (setf (test-run-library run) library
            (test-run-operators run) operators)
      ;; Evaluated code may run tests, too.
      (when *job* (setf (job-tests *job*) run))
      (ignore-errors (funcall note run (first values) arguments))
      (values-list values))))

(defun add-result (run status name &key (tests (list name)) form reason place)
  (push (make-test-result :status status :name name :tests tests :form form :reason (cut-to (or reason "") 2000) :place place)
        (test-run-results run)))

;;; A result counts even if a part of it can't be read.

(defun part-reader (package)
  (lambda (name &rest arguments) (ignore-errors (apply #'external-call package name arguments))))

(defun note-fiveam-run (run results arguments)
  (declare (ignore arguments))
  (note-fiveam-results run results))

(defun note-fiveam-explanation (run value arguments)
  (declare (ignore value))
  (note-fiveam-results run (second arguments)))

(defun in-order-of-checks (results test-of)
  "FiveAM keeps tests in the order in which they ran, and the results of each in reverse."
  (loop while results
        append (loop with group = '()
                     with test = (funcall test-of (first results))
                     while (and results (eq test (funcall test-of (first results))))
                     do (push (pop results) group)
                     finally (return group))))

(defun note-fiveam-results (run results)
  (let ((part (part-reader "IT.BESE.FIVEAM")))
    (flet ((part (name result) (funcall part name result)))
      (dolist (result (in-order-of-checks (if (listp results) results '()) (lambda (result) (part "TEST-CASE" result))))
        (unless (shiftf (gethash result (test-run-seen run)) t)
          (let ((kind (symbol-name (class-name (class-of result))))
                (form (part "TEST-EXPR" result)))
            (add-result run
                        (cond ((string= kind "TEST-PASSED") :passed)
                              ((string= kind "TEST-SKIPPED") :skipped)
                              (t :failed))
                        (symbol-text (part "NAME" (part "TEST-CASE" result)))
                        :form (and form (form-text form))
                        :reason (on-one-line (princ-to-string (or (part "REASON" result) ""))))))))))

(defun form-text (form)
  (let ((*print-pretty* t) (*print-right-margin* 10000)) (value-text form 500)))

(defun on-one-line (text)
  "TEXT with each sequence of spaces and line ends as one space."
  (with-output-to-string (out)
    (loop with gap = nil
          for char across (string-trim '(#\Space #\Newline #\Tab) text)
          do (cond ((member char '(#\Space #\Newline #\Tab)) (setf gap t))
                   (t (when gap (write-char #\Space out) (setf gap nil))
                      (write-char char out))))))

(defun note-parachute-report (run report arguments)
  "The results of a report are those of tests, whose children are the results of forms or of other tests."
  (declare (ignore arguments))
  (let ((part (part-reader "ORG.SHIRAKUMO.PARACHUTE")))
    (flet ((part (name &rest arguments) (apply part name arguments))
           (test-p (result) (typep result (find-symbol "TEST-RESULT" "ORG.SHIRAKUMO.PARACHUTE"))))
      (loop for test across (remove-if-not #'test-p (part "RESULTS" report))
            do (loop for result across (remove-if #'test-p (part "RESULTS" test))
                     do (add-result run (part "STATUS" result) (princ-to-string (part "NAME" (part "EXPRESSION" test)))
                                    :form (form-text (part "EXPRESSION" result))
                                    :reason (on-one-line (or (part "FORMAT-RESULT" result :extensive) ""))))))))

(defun note-rove-record (run value arguments)
  "Called with the statistics and an assertion or a test, whose assertions were recorded before."
  (declare (ignore value))
  (destructuring-bind (stats result) arguments
    (let* ((kind (symbol-name (class-name (class-of result))))
           (status (cond ((string= kind "PASSED-ASSERTION") :passed)
                         ((string= kind "FAILED-ASSERTION") :failed)
                         ((string= kind "PENDING-ASSERTION") :skipped))))
      (when status (add-rove-result run status stats result)))))

(defun add-rove-result (run status stats assertion)
  (let* ((part (part-reader "ROVE/CORE/RESULT"))
         (labels (mapcar #'princ-to-string
                         (remove nil (ignore-errors (external-call "ROVE/CORE/STATS" "STATS-CONTEXT-LABELS" stats)))))
         (reason (funcall part "ASSERTION-REASON" assertion)))
    (add-result run status (join-texts labels " / ")
                :tests labels
                :form (form-text (funcall part "ASSERTION-FORM" assertion))
                :reason (on-one-line (concatenate 'string
                                                  (princ-to-string (funcall part "ASSERTION-DESCRIPTION" assertion))
                                                  (if (typep reason 'condition)
                                                      (concatenate 'string " " (symbol-text (type-of-condition reason)) ": "
                                                                   (condition-text reason 500))
                                                      "")))
                :place (ignore-errors (rove-place (funcall part "ASSERTION-SOURCE-LOCATION" assertion))))))

(defun rove-place (location)
  "LOCATION is a list of a file, a line and a column, or NIL."
  (destructuring-bind (file line column) location
    (make-place :file (native-name (probe-file file)) :line line :column column)))
