;;;; The package of the worker. It exists only while the worker is loaded: SEAL deletes it, so that its symbols have no
;;;; name by which evaluated code could reach or redefine them.

(defpackage :hawser-worker
  (:use :common-lisp))

(in-package :hawser-worker)

;;; True in an image that is not ours to end; :OVER when the server is gone from it.
(defvar *attached* nil)
