;;;; The package of the worker. It exists only while the worker is loaded: SEAL deletes it, so that its symbols have no
;;;; name by which evaluated code could reach or redefine them.

(defpackage :hawser-worker
  (:use :common-lisp))

(in-package :hawser-worker)

;;; True when attached to an image of the user, which must not be ended; :OVER when the server has disconnected.
(defvar *attached* nil)

;;; True in the thread of an attached worker while it can be left by a throw to DETACHED.
(defvar *serving* nil)
