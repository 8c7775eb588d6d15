;;;; ASDF: finding systems in the user's project, loading them, and what is worth saying about that.

(in-package :hawser-worker)

(defvar *distributions-prepared* nil "True when Quicklisp, qlot and ocicl were looked for.")

(defun prepare-packages-named-in (text)
  "Loads ASDF and Quicklisp when TEXT has symbols with their prefix, so that it can be read."
  (prepare-packages (lambda (prefix) (has-prefix-p prefix text))))

(defun prepare-package-named (name)
  (prepare-packages (lambda (prefix) (string-equal prefix name))))

(defun prepare-packages (needed-p)
  (unless (find-package "ASDF")
    (when (or (funcall needed-p "asdf") (funcall needed-p "uiop")) (prepare-asdf)))
  (unless (or *distributions-prepared* (find-package "QL"))
    (when (funcall needed-p "ql")
      (prepare-asdf)
      (prepare-distributions))))

(defun has-prefix-p (prefix text)
  "Whether PREFIX stands before a colon in TEXT."
  (loop with length = (length prefix)
        for colon = (position-of-colon text 0) then (position-of-colon text (1+ colon))
        while colon
        thereis (and (>= colon length) (string-equal prefix text :start2 (- colon length) :end2 colon))))

(defun position-of-colon (text start)
  (declare (type fixnum start))
  (with-simple-string (text) (position #\: text :start start)))

;;; The user's project.

(defvar *project-folders* '() "Native paths of folders whose systems ASDF finds.")
(defconstant +max-project-depth+ 3 "How deep below a project folder .asd files are looked for.")
(defconstant +max-project-folders+ 500 "In how many folders .asd files are looked for.")

(defun set-projects (folders)
  "Makes ASDF find the systems below FOLDERS, whatever its configuration says."
  (setf *project-folders* folders)
  (when (find-package "ASDF") (watch-asdf)))

(defun prepare-asdf ()
  (unless (find-package "ASDF") (let ((*standard-output* (make-broadcast-stream))) (require "asdf")))
  (unless (find-package "ASDF") (refuse "This Lisp has no ASDF."))
  (watch-asdf))

(defvar *watched* nil "A function that undoes the changes to ASDF, or NIL.")

(defun watch-asdf ()
  "Lets ASDF find systems of the project, and notes what it does."
  (unless *watched*
    (let ((functions (find-symbol "*SYSTEM-DEFINITION-SEARCH-FUNCTIONS*" "ASDF"))
          (methods '()))
      (flet ((add-around (name function)
               (let ((name (find-symbol name "ASDF")))
                 (push (cons (fdefinition name)
                             (eval `(defmethod ,name :around (operation component)
                                      (funcall ,function operation component (lambda () (call-next-method))))))
                       methods))))
        ;; Set first: this thread can be ended at any point below.
        (setf *watched* (lambda ()
                          (update-value functions (lambda (list) (remove #'find-project-system list)))
                          (loop for (function . method) in methods do (remove-method function method))))
        (update-value functions (lambda (list) (after-package-inferred-search #'find-project-system list)))
        (add-around "PERFORM" #'perform-watched)
        (add-around "OPERATION-DONE-P" #'done-for-certain-p)))))

(defun after-package-inferred-search (function functions)
  "A system like PRIMARY/FILE, whose package is its definition, is in no .asd file."
  (if (and functions (search "PACKAGE-INFERRED" (princ-to-string (first functions))))
      (list* (first functions) function (rest functions))
      (cons function functions)))

(defun find-project-system (name)
  (let ((file-name (external-call "ASDF" "PRIMARY-SYSTEM-NAME" name)))
    (find file-name (project-definition-files) :key #'pathname-name :test #'equal)))

(defun project-definition-files ()
  "The .asd files of the project. Each job looks for them once."
  (if (null *job*)
      (search-definition-files)
      (let ((known (job-definition-files *job*)))
        (if (eq known :unknown)
            (setf (job-definition-files *job*) (search-definition-files))
            known))))

(defun search-definition-files ()
  "Breadth first, so that what is near the root of the project is found first."
  (let ((count 0) (files '())
        (level (loop for folder in *project-folders* collect (native-path (folder-name folder)))))
    (loop repeat (1+ +max-project-depth+)
          while level
          do (let ((next '()))
               (dolist (folder level)
                 (when (< (incf count) +max-project-folders+)
                   (setf files (append files (ignore-errors (external-call "UIOP" "DIRECTORY-FILES" folder "*.asd")))
                         next (append next (ignore-errors (remove-if #'hidden-folder-p (external-call "UIOP" "SUBDIRECTORIES" folder)))))))
               (setf level next)))
    files))

(defun folder-name (path)
  (if (char= (char path (1- (length path))) #\/) path (concatenate 'string path "/")))

(defun hidden-folder-p (folder)
  (let ((name (first (last (pathname-directory folder)))))
    (or (not (stringp name)) (char= (char name 0) #\.) (string= name "node_modules"))))

;;; Quicklisp, qlot and ocicl, where the user has them.

(defun prepare-distributions ()
  "Loads Quicklisp, qlot and ocicl if the user has them. Returns findings about that the first time."
  (unless *distributions-prepared*
    (setf *distributions-prepared* t)
    (loop for (name package . files) in (distribution-files)
          for file = (and (not (find-package package)) (some #'probe-file files))
          when file
            do (let ((*standard-output* (make-broadcast-stream))) (load file))
            and collect (finding "loaded" name (native-name file)))))

(defun distribution-files ()
  (flet ((at-home (path) (merge-pathnames path (user-homedir-pathname)))
         (in-project (path) (loop for folder in *project-folders*
                                  collect (merge-pathnames path (native-path (folder-name folder))))))
    (list (list* "qlot" "QL" (in-project ".qlot/setup.lisp"))
          (list "ocicl" "OCICL-RUNTIME" (at-home ".local/share/ocicl/ocicl-runtime.lisp"))
          (list "Quicklisp" "QL" (at-home "quicklisp/setup.lisp") (at-home ".quicklisp/setup.lisp")
                (at-home ".roswell/lisp/quicklisp/setup.lisp")))))

;;; Loading.

(defstruct loading
  "What a load has done so far: lists (system compiled loaded), newest first; diagnostics of the user's files, newest first,
those that were noted, to keep each once, and how many were dropped; the folders whose files are the user's; the current file."
  (systems '()) (diagnostics '()) (noted (make-hash-table :test #'equal)) (dropped 0) (folders '()) (file nil))

(defstruct diagnostic
  "What the compiler said of a place."
  kind message place advice)

(defun system-name (text) (string-downcase (bare-name text)))

(defun load-system (job name)
  (operate-on-system job (system-name name) #'load-one-system)
  (setf (job-values job) '()))

(defun load-one-system (name)
  (if (find-package "QL")
      (external-call "QL" "QUICKLOAD" name :silent t)
      (external-call "ASDF" "LOAD-SYSTEM" name)))

(defun operate-on-system (job name function)
  "Calls FUNCTION with the name of a system, and reports what was loaded and what the compiler said."
  (setf (job-phase job) :load
        (job-limit job) +max-limit+)
  (prepare-asdf)
  (let ((distributions (prepare-distributions)) (*loading* (make-loading)))
    (setf (loading-folders *loading*)
          (append (let ((folder (ignore-errors (external-call "ASDF" "SYSTEM-SOURCE-DIRECTORY" name))))
                    (and folder (list (native-name folder))))
                  *project-folders*))
    (let ((end :failed))
      (unwind-protect
           (progn (call-noting-diagnostics (lambda () (funcall function name)))
                  (setf end :loaded))
        (ignore-errors (report-findings (append distributions (loading-findings name end))))))))

(defun perform-watched (operation component next)
  "Runs around each action of ASDF."
  (let ((loading *loading*)
        (action (class-name (class-of operation))))
    (when *job* (push (cons (symbol-name action) component) (job-performed *job*)))
    (cond
      ((null *job*) (funcall next))
      ((string= action "TEST-OP") (call-watching-tests next))
      ((null loading) (call-without-chatter next))
      ((or (not (source-file-p component))
           (not (member action '("COMPILE-OP" "LOAD-OP" "LOAD-SOURCE-OP") :test #'string=)))
       (funcall next))
      (t
       (note-action action component)
       (multiple-value-prog1 (if (job-tests *job*) (call-without-chatter next) (funcall next))
         (setf (loading-file loading) nil))))))

(defun source-file-p (component) (typep component (find-symbol "CL-SOURCE-FILE" "ASDF")))

(defun done-for-certain-p (operation component next)
  "Runs around ASDF:OPERATION-DONE-P, which compares times in whole seconds: a file that was changed in the second in which
it was compiled would seem up to date."
  (and (funcall next)
       (not (and *job*
                 (source-file-p component)
                 (ignore-errors (doubtful-p (symbol-name (class-name (class-of operation))) component))))))

(defun doubtful-p (action component)
  (flet ((performed-p (action) (member (cons action component) (job-performed *job*) :test #'equal)))
    (cond ((performed-p action) nil)
          ((string= action "COMPILE-OP") (compiled-in-same-second-p component))
          ;; Old versions of ASDF would not load what was compiled again in the same second.
          ((string= action "LOAD-OP") (or (performed-p "COMPILE-OP") (compiled-in-same-second-p component))))))

(defun compiled-in-same-second-p (component)
  (let ((source (external-call "ASDF" "COMPONENT-PATHNAME" component)))
    (and (own-file-p (native-name source) (if *loading* (loading-folders *loading*) *project-folders*))
         (some (lambda (output)
                 (and (probe-file output) (eql (file-write-date source) (file-write-date output))))
               (external-call "ASDF" "OUTPUT-FILES" (find-symbol "COMPILE-OP" "ASDF") component)))))

(defun call-without-chatter (function)
  "Calls FUNCTION without the compiler's progress messages and notes, which fill pages for each library."
  (let ((*compile-verbose* nil) (*compile-print* nil) (*load-verbose* nil))
    (call-without-notes function)))

(defun note-action (action component)
  (let* ((loading *loading*)
         (system (external-call "ASDF" "COMPONENT-NAME" (external-call "ASDF" "COMPONENT-SYSTEM" component)))
         (entry (or (assoc system (loading-systems loading) :test #'string=)
                    (first (push (list system 0 0) (loading-systems loading))))))
    (setf (loading-file loading) (native-name (external-call "ASDF" "COMPONENT-PATHNAME" component)))
    (cond ((string= action "COMPILE-OP")
           (incf (second entry))
           (send-progress (concatenate 'string "Compiling " system ": "
                                       (external-call "ASDF" "COMPONENT-NAME" component))))
          (t (when (zerop (third entry)) (send-progress (concatenate 'string "Loading " system)))
             (incf (third entry))))))

(defun send-progress (text)
  (let ((job *job*))
    (when (and job (eq job *running*))
      (send (list :object "progress" (job-id job) "text" text)))))

(defun loading-findings (name end)
  (let ((systems (reverse (loading-systems *loading*))))
    (append
     (loop for (system compiled loaded) in systems
           for in-work = (and (eq end :failed) (loading-file *loading*) (eq system (first (first (loading-systems *loading*)))))
           collect (system-finding system (cond (in-work "not loaded")
                                                ((zerop compiled) "loaded")
                                                (t (compiled-text compiled (plusp loaded))))))
     (unless (or (eq end :failed) (assoc name systems :test #'string=))
       (list (system-finding name (if (performed-load-p name) "loaded" "was loaded already"))))
     (loop for diagnostic in (reverse (loading-diagnostics *loading*))
           collect (finding (diagnostic-kind diagnostic) (diagnostic-message diagnostic) nil
                            (diagnostic-place diagnostic)))
     (unless (zerop (loading-dropped *loading*))
       (list (finding "note" (concatenate 'string (decimal (loading-dropped *loading*)) " more warnings were not kept.")))))))

(defun performed-load-p (name)
  "Whether this job has loaded the system, which may have no files of its own."
  (member (cons "LOAD-OP" (ignore-errors (external-call "ASDF" "FIND-SYSTEM" name))) (job-performed *job*) :test #'equal))

(defun compiled-text (count loaded)
  (concatenate 'string "compiled " (decimal count) (if (= count 1) " file" " files") (if loaded " and loaded" "")))

(defun system-finding (name detail)
  (let ((version (ignore-errors (external-call "ASDF" "COMPONENT-VERSION" (external-call "ASDF" "FIND-SYSTEM" name)))))
    (finding "system" (if (stringp version) (concatenate 'string name " " version) name) detail)))
