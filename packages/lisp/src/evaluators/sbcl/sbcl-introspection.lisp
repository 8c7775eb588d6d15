;;;; What SBCL knows about definitions.

(in-package :hawser-worker)

(defun function-lambda-list (function)
  "The lambda list, and whether it is known."
  (values (if (typep function 'generic-function)
              (sb-mop:generic-function-lambda-list function)
              (sb-kernel:%fun-lambda-list function))
          t))

(defun special-variable-p (symbol)
  (eq (sb-int:info :variable :kind symbol) :special))

(defun derived-type-p (symbol) (eq (sb-int:info :type :kind symbol) :defined))

(defun class-parents (class) (sb-mop:class-direct-superclasses class))

(defun class-slot-texts (class)
  (loop for slot in (if (sb-mop:class-finalized-p class)
                        (sb-mop:class-slots class)
                        (sb-mop:class-direct-slots class))
        collect (cons (symbol-text (sb-mop:slot-definition-name slot))
                      (outline (sb-mop:slot-definition-type slot) 200))))

(defun object-slots (object)
  (loop for slot in (sb-mop:class-slots (class-of object))
        for name = (sb-mop:slot-definition-name slot)
        collect (cons name (if (slot-boundp object name) (slot-value object name) :unbound))))
