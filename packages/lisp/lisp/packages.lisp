;;;; The packages of the worker. HAWSER-WORKER is the worker itself; what it needs of a Lisp beyond the standard is in
;;;; HAWSER-WORKER/BACKEND, implemented in a package of its own for each engine.

(defpackage :hawser-worker/source-text
  (:documentation "Positions in the text of Lisp code.")
  (:use :common-lisp)
  (:export #:line-and-column #:skip-blanks #:starts-at-p #:position-in-text #:subform-start #:datum-end))

(defpackage :hawser-worker/json
  (:documentation "JSON as it leaves the worker.")
  (:use :common-lisp)
  (:export #:octets #:buffer #:make-buffer #:buffer-octets #:buffer-end #:json-line #:write-json-text #:with-simple-string
           #:decimal #:json-strings))

(defpackage :hawser-worker/gray
  (:documentation "The protocol of Gray streams, as far as the worker needs it.")
  (:use)
  (:import-from #+sbcl :sb-gray #+ecl :gray
                #:fundamental-character-output-stream #:stream-write-char #:stream-write-string #:stream-line-column
                #:stream-start-line-p)
  (:export #:fundamental-character-output-stream #:stream-write-char #:stream-write-string #:stream-line-column
           #:stream-start-line-p))

(defpackage :hawser-worker/mop
  (:documentation "The metaobject protocol, as far as the worker needs it.")
  (:use)
  (:import-from #+sbcl :sb-mop #+ecl :clos
                #:class-direct-superclasses #:class-precedence-list #:class-finalized-p #:class-slots #:class-direct-slots
                #:slot-definition-name #:slot-definition-type #:generic-function-name #:generic-function-methods
                #:generic-function-lambda-list #:method-generic-function #:method-function #:method-specializers
                #:specializer-direct-methods #:eql-specializer-object #:standard-accessor-method)
  (:export #:class-direct-superclasses #:class-precedence-list #:class-finalized-p #:class-slots #:class-direct-slots
           #:slot-definition-name #:slot-definition-type #:generic-function-name #:generic-function-methods
           #:generic-function-lambda-list #:method-generic-function #:method-function #:method-specializers
           #:specializer-direct-methods #:eql-specializer-object #:standard-accessor-method))

(defpackage :hawser-worker/backend
  (:documentation "What an engine must provide. DEFINTERFACE exports each function.")
  (:use :common-lisp)
  (:export #:definterface #:defimplementation #:complete-backend #:interface-functions
           #:location #:make-location #:location-file #:location-form #:location-path #:location-position
           #:refusal #:refuse #:with-lock #:with-debugger-hook #:external-call #:undesignated-package-name))

(defpackage #+sbcl :hawser-worker/sbcl #+ecl :hawser-worker/ecl
  (:documentation "The engine that this Lisp is.")
  (:use :common-lisp :hawser-worker/backend :hawser-worker/mop)
  (:import-from :hawser-worker/json #:octets #:with-simple-string))

(defpackage :hawser-worker
  (:documentation "Performs operations for hawser-lisp, in a process of its own or in an image of the user.")
  (:use :common-lisp :hawser-worker/source-text :hawser-worker/json :hawser-worker/gray :hawser-worker/mop
        :hawser-worker/backend)
  (:export #:start #:seal #:attach))
