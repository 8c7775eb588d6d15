;;;; Running the tests of a system, and reading what test libraries keep about their results.

(in-package :hawser-worker)

;;; STATUS is :PASSED, :FAILED or :SKIPPED; NAME the test it belongs to.
(defstruct test-result status name form reason)
(defstruct test-run (library nil) (results '()) (seen (make-hash-table :test #'eq)))

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
                           (test-place system (test-result-name result)))))

(defun test-place (system name)
  "Where the source of SYSTEM defines a test of this NAME."
  (let ((plain (string-trim "|:\"" (subseq name (let ((colon (position #\: name :from-end t))) (if colon (1+ colon) 0))))))
    (loop for file in (test-files system)
          thereis (loop for operator in '("(test " "(def-test " "(define-test " "(deftest " "(5am:test " "(fiveam:test "
                                          "(rove:deftest " "(parachute:define-test ")
                        thereis (loop for mark in '("" "(" "#:" "\"" ":")
                                      thereis (place-of-text file (concatenate 'string operator mark plain)))))))

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

(defparameter *test-libraries*
  '(("FiveAM" "IT.BESE.FIVEAM" "RUN" note-fiveam-run)
    ;; ECL calls functions of the same file directly, so RUN is not enough.
    ("FiveAM" "IT.BESE.FIVEAM" "EXPLAIN" note-fiveam-explanation)
    ("Parachute" "ORG.SHIRAKUMO.PARACHUTE" "TEST" note-parachute-report)
    ("Rove" "ROVE/CORE/STATS" "RECORD" note-rove-record)))

(defun call-watching-tests (function)
  (let ((run (or (job-tests *job*) (make-test-run))) (undo '()))
    (unwind-protect
         (progn
           (loop for (library package name note) in *test-libraries*
                 for symbol = (and (find-package package) (find-symbol name package))
                 when (and symbol (fboundp symbol))
                   do (push (watch-function symbol (result-watcher run library note)) undo))
           (funcall function))
      (mapc #'funcall undo))))

(defun result-watcher (run library note)
  (lambda (original arguments)
    (let ((values (multiple-value-list (apply original arguments))))
      (setf (test-run-library run) library)
      (ignore-errors (funcall note run (first values) arguments))
      (values-list values))))

(defun add-result (run status name form reason)
  (push (make-test-result :status status :name name :form form :reason (cut-to (or reason "") 2000))
        (test-run-results run)))

(defun note-fiveam-run (run results arguments)
  (declare (ignore arguments))
  (note-fiveam-results run results))

(defun note-fiveam-explanation (run value arguments)
  (declare (ignore value))
  (note-fiveam-results run (second arguments)))

(defun note-fiveam-results (run results)
  (flet ((part (name result) (external-call "IT.BESE.FIVEAM" name result)))
    (dolist (result (if (listp results) results '()))
      (unless (shiftf (gethash result (test-run-seen run)) t)
        (let ((kind (symbol-name (class-name (class-of result)))))
          (add-result run
                      (cond ((string= kind "TEST-PASSED") :passed)
                            ((string= kind "TEST-SKIPPED") :skipped)
                            (t :failed))
                      (symbol-text (part "NAME" (part "TEST-CASE" result)))
                      (let ((form (part "TEST-EXPR" result))) (and form (form-text form)))
                      (on-one-line (princ-to-string (part "REASON" result)))))))))

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
  (flet ((part (name &rest arguments) (apply #'external-call "ORG.SHIRAKUMO.PARACHUTE" name arguments))
         (test-p (result) (typep result (find-symbol "TEST-RESULT" "ORG.SHIRAKUMO.PARACHUTE"))))
    (loop for test across (remove-if-not #'test-p (part "RESULTS" report))
          do (loop for result across (remove-if #'test-p (part "RESULTS" test))
                   do (add-result run (part "STATUS" result)
                                  (princ-to-string (part "NAME" (part "EXPRESSION" test)))
                                  (form-text (part "EXPRESSION" result))
                                  (on-one-line (part "FORMAT-RESULT" result :extensive)))))))

(defun note-rove-record (run value arguments)
  "Called with the statistics and an assertion or a test, whose assertions were recorded before."
  (declare (ignore value))
  (destructuring-bind (stats result) arguments
    (let* ((kind (symbol-name (class-name (class-of result))))
           (status (cond ((string= kind "PASSED-ASSERTION") :passed)
                         ((string= kind "FAILED-ASSERTION") :failed)
                         ((string= kind "PENDING-ASSERTION") :skipped))))
      (when status
        (add-result run status
                    (let ((labels (remove nil (external-call "ROVE/CORE/STATS" "STATS-CONTEXT-LABELS" stats))))
                      (princ-to-string (first (last labels))))
                    (form-text (external-call "ROVE/CORE/RESULT" "ASSERTION-FORM" result))
                    (on-one-line (princ-to-string (external-call "ROVE/CORE/RESULT" "ASSERTION-DESCRIPTION" result))))))))
