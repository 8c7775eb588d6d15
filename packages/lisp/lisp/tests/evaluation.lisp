;;;; Reading, evaluating, errors.

(in-package :hawser-worker/tests)
(in-suite hawser-worker)

(test forms-are-evaluated-one-after-the-other
  (is (equal '("3") (evaluate "1 2 (+ 1 2)")))
  (is (equal '("1" "2") (evaluate "(values 1 2)")))
  (is (equal '() (evaluate "")))
  (is (equal '("\"FORM-BY-FORM\"")
             (evaluate "(defpackage :form-by-form (:use :cl)) (in-package :form-by-form) (package-name *package*)"))))

(test output-is-captured
  (evaluate "(format t \"to stdout\") (format *error-output* \"to stderr\")")
  (flet ((taken (stream) (let ((text (take-output stream))) (decode-text (subseq (buffer-octets text) 0 (buffer-end text))))))
    (is (equal "to stdout" (taken *stdout*)))
    (is (equal "to stderr" (taken *stderr*)))))

(test an-error-has-its-type-message-and-place
  (let* ((job (nth-value 1 (evaluate (format nil "1~% (car (quote a))"))))
         (failure (job-failure job)))
    (is (member "TYPE-ERROR" (failure-types failure) :test #'string=))
    (is (search (format nil "~%  A~%") (failure-message failure)))
    (is (eql 2 (failure-line failure)))))

(test an-error-has-advice
  (flet ((advice (code) (failure-advice (job-failure (nth-value 1 (evaluate code))))))
    (is (search "T for true" (advice "true")))
    (is (search "No package has a function" (advice "(no-such-function-anywhere)")))))

(test an-error-has-frames-of-the-code-and-not-of-the-worker
  (let ((job (nth-value 1 (evaluate "(defun failing-function (x) (list (error \"a ~a\" x))) (list (failing-function 7))"))))
    ;; ECL keeps no arguments.
    (is (equal #+sbcl "(FAILING-FUNCTION 7)" #-sbcl "(FAILING-FUNCTION ...)"
               (first (failure-shown-frames (job-failure job)))))
    (is (notany (lambda (frame) (search "HAWSER-WORKER" frame)) (failure-shown-frames (job-failure job))))))

(test a-warning-is-collected
  (is (equal '("SIMPLE-WARNING: careful") (job-warnings (nth-value 1 (evaluate "(warn \"careful\")"))))))

(test a-refusal-is-a-plain-error
  (let ((job (perform (lambda (job) (declare (ignore job)) (refuse "Not " "today.")))))
    (is (equal '("ERROR" "Not today.") (list (failure-type (job-failure job)) (failure-message (job-failure job)))))))

;;; Readtables.

(defparameter *bracketing-readtable*
  (let ((readtable (copy-readtable nil)) (standard (get-macro-character #\( (copy-readtable nil))))
    ;; As Coalton's does, it reads some lists in its own way and leaves the others to the standard reader.
    (set-macro-character #\( (lambda (stream char)
                               (if (eql (peek-char nil stream nil) #\!)
                                   (progn (read-char stream) (list 'quote (funcall standard stream char)))
                                   (funcall standard stream char)))
                         nil readtable)
    readtable)
  "A readtable that reads lists, but not by the standard function.")

(test a-readtable-that-reads-lists-in-its-own-way-stays
  (multiple-value-bind (values job)
      (evaluate "(setf *readtable* hawser-worker/tests::*bracketing-readtable*) (list (!a b) 1)")
    (is (equal '("((A B) 1)") values))
    (is (equal '() (job-warnings job)))))

(test a-readtable-that-can-not-read-lists-is-replaced
  (multiple-value-bind (values job)
      (evaluate "(setf *readtable* (copy-readtable nil))
                 (set-macro-character #\\( (lambda (stream char) (declare (ignore stream char)) 1))
                 (+ 1 2)")
    (is (equal '("3") values))
    (is (equal '("The readtable could no longer read lists; the standard one is back.") (job-warnings job)))))
