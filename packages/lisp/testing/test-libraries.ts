// Debian has neither of these libraries. What stands in for them has the packages, classes and functions that the worker
// reads, as Parachute 1.5 and Rove 0.10 define them.

export const PARACHUTE = `
(defpackage :org.shirakumo.parachute (:use :cl) (:export #:test #:define-test))
(in-package :org.shirakumo.parachute)
(defclass result () ((expression :initarg :expression :accessor expression) (status :initarg :status :accessor status)))
(defclass parent-result (result) ((results :initform (make-array 0 :adjustable t :fill-pointer t) :accessor results)))
(defclass test-result (parent-result) ())
(defclass report (parent-result) ())
(defclass test-definition () ((name :initarg :name :accessor name)))
(defgeneric format-result (result type))
(defmethod format-result ((result result) type)
  (declare (ignore type))
  (format nil "~s~%~(~a~)." (expression result) (status result)))
(defvar *tests* '())
(defmacro define-test (name &body body)
  \`(push (cons (make-instance 'test-definition :name ',name) (lambda () (list ,@body))) *tests*))
(defmacro result (status form) \`(make-instance 'result :status ,status :expression ',form))
(declaim (notinline test))
(defun test (designator)
  (declare (ignore designator))
  (let ((report (make-instance 'report)))
    (loop for (definition . function) in *tests*
          do (let ((test (make-instance 'test-result :expression definition)))
               (vector-push-extend test (results report))
               (dolist (result (funcall function))
                 (vector-push-extend result (results test))
                 (vector-push-extend result (results report)))))
    report))
`;

export const ROVE = `
(defpackage :rove/core/result (:use :cl) (:export #:assertion-form #:assertion-reason #:assertion-description))
(in-package :rove/core/result)
(defclass assertion ()
  ((form :initarg :form :reader assertion-form) (reason :initarg :reason :initform nil :reader assertion-reason)))
(defclass passed-assertion (assertion) ())
(defclass failed-assertion (assertion) ())
(defgeneric assertion-description (assertion) (:method (assertion) (declare (ignore assertion)) "Expected."))
(defpackage :rove/core/stats (:use :cl :rove/core/result))
(in-package :rove/core/stats)
(defgeneric stats-context-labels (stats))
(defmethod stats-context-labels ((stats list)) stats)
(defgeneric record (stats object) (:method (stats object) (declare (ignore stats object))))
(defvar *tests* '())
(defmacro deftest (name &body body) \`(push (lambda () (let ((labels '("suite" ,(string name) "inner"))) ,@body)) *tests*))
(defmacro ok (form)
  \`(record labels
           (handler-case (if ,form
                             (make-instance 'rove/core/result::passed-assertion :form ',form)
                             (make-instance 'rove/core/result::failed-assertion :form ',form))
             (error (reason) (make-instance 'rove/core/result::failed-assertion :form ',form :reason reason)))))
(defun run-recorded () (mapc #'funcall *tests*))
`;
