(defpackage :hawser-worker/tests
  (:documentation "Tests of the worker within one Lisp: without a server, wires and processes.")
  (:use :common-lisp :fiveam :hawser-worker/source-text :hawser-worker/json :hawser-worker/backend)
  (:export #:hawser-worker)
  (:import-from :hawser-worker
                #:*worker-thread* #:*evaluated* #:*evaluated-before* #:*job* #:+max-evaluated+ #:aspect-place #:begin-job #:call-in-session
                #:evaluate-text #:failure-advice #:failure-file #:failure-line #:failure-message #:failure-shown-frames
                #:failure-type #:failure-types #:job-failure #:job-findings #:job-values #:job-warnings #:load-file #:make-job
                #:note-definitions #:outline #:perform-operation #:place-file #:place-form #:place-line #:print-values
                #:take-output #:value-text #:*stdout* #:*stderr*))

(in-package :hawser-worker/tests)

(def-suite hawser-worker)
(in-suite hawser-worker)

(defun perform (function)
  "Calls FUNCTION with a job as the worker performs an operation. Returns the job."
  (let ((job (make-job)) (package *package*))
    (begin-job job 1)
    ;; FiveAM's handlers are around this one.
    (call-in-new-thread (lambda ()
                          (let ((*readtable* (copy-readtable nil)) (*package* package) (*worker-thread* (current-thread)))
                            (call-in-session job "" (lambda () (funcall function job))))))
    job))

(defun call-in-new-thread (function)
  #+sbcl (sb-thread:join-thread (sb-thread:make-thread function))
  #+ecl (mp:process-join (mp:process-run-function "test" function)))

(defun evaluate (code)
  "Evaluates the forms in CODE. Returns the printed values of the last one, and the job."
  (let ((job (perform (lambda (job)
                        (evaluate-text job code :evaluate)
                        (setf (job-values job) (print-values job))))))
    (values (job-values job) job)))

(defmacro with-file ((path text) &body body)
  "Binds PATH to the native path of a file with TEXT, which is deleted afterwards."
  (let ((pathname (gensym "PATHNAME")))
    `(uiop:with-temporary-file (:pathname ,pathname :type "lisp")
       (with-open-file (stream ,pathname :direction :output :if-exists :supersede) (write-string ,text stream))
       (let ((,path (native-namestring (truename ,pathname)))) ,@body))))
