;;; hawser.el --- Review the edits of coding agents  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, convenience
;; URL: https://github.com/hawser-dev/hawser
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Terminal coding agents such as Claude Code see what you see in Emacs,
;; and you review their edits in Emacs before anything is written.
;;
;; `M-x hawser-mode' starts the bridge, the program `hawser', for the
;; project of the current buffer.  `M-x hawser-agent' starts an agent that
;; is connected to it.  What an agent proposes appears as a diff:
;; `C-c C-c' accepts it, `C-c C-k' rejects it, `C-c C-r' asks for changes,
;; and single keys decide on hunks and write notes.  `M-x hawser-review'
;; brings you to the next proposal.
;;
;; This file is a client of the Hawser editor protocol, which is described
;; in docs/editor-protocol.md of the repository.  It reads from top to
;; bottom: options, positions and texts, what the bridge is told, what the
;; bridge asks for, proposals and their views, agents, start and end.

;;; Code:

(require 'cl-lib)
(require 'diff-mode)
(require 'easymenu)
(require 'jsonrpc)
(require 'project)
(require 'subr-x)
(require 'url-parse)
(require 'url-util)

(declare-function ediff-really-quit "ediff-util" (reverse-default-keep-variants))
(declare-function ediff-setup-windows-plain "ediff-wind" (a b c control))
(declare-function eat-make "ext:eat" (name program &optional startfile &rest switches))
(declare-function eglot--TextDocumentIdentifier "ext:eglot" ())
(declare-function eglot--capabilities "ext:eglot" (server))
(declare-function eglot-current-server "ext:eglot" ())
(declare-function flycheck-error-checker "ext:flycheck" (error))
(declare-function flycheck-error-level "ext:flycheck" (error))
(declare-function flycheck-error-level-severity "ext:flycheck" (level))
(declare-function flycheck-error-message "ext:flycheck" (error))
(declare-function flycheck-error-region-for-mode "ext:flycheck" (error mode))
(declare-function flymake-diagnostic-beg "flymake" (diagnostic))
(declare-function flymake-diagnostic-end "flymake" (diagnostic))
(declare-function flymake-diagnostic-text "flymake" (diagnostic))
(declare-function flymake-diagnostic-type "flymake" (diagnostic))
(declare-function flymake-diagnostics "flymake" (&optional beg end))
(declare-function flymake--lookup-type-property "flymake" (type prop &optional default))
(declare-function make-term "term" (name program &optional startfile &rest switches))
(declare-function term-char-mode "term" ())
(declare-function vterm "ext:vterm" (&optional arg))
(declare-function xref-backend-definitions "xref" (backend identifier))
(declare-function xref-backend-identifier-at-point "xref" (backend))
(declare-function xref-find-backend "xref" ())
(declare-function xref-item-location "xref" (item))
(declare-function xref-location-marker "xref" (location))
(defvar ediff-keep-variants)
(defvar ediff-quit-hook)
(defvar ediff-split-window-function)
(defvar ediff-window-setup-function)
(defvar flycheck-current-errors)
(defvar vterm-shell)

;;; Options

(defgroup hawser nil
  "Review the edits of coding agents."
  :group 'tools
  :prefix "hawser-")

(defcustom hawser-command '("hawser" "editor")
  "The program that starts the bridge, and its arguments.
`hawser editor --help' lists further arguments."
  :type '(repeat string))

(defcustom hawser-selection-delay 0.05
  "Seconds without a key after which agents are told the selection."
  :type 'number)

(defcustom hawser-view 'diff
  "How a proposal is shown.
`diff' is a unified diff in one buffer, `ediff' both texts side by
side.  A text above `hawser-ediff-max-size' is always shown as a diff."
  :type '(choice (const :tag "Unified diff" diff) (const :tag "Ediff" ediff)))

(defcustom hawser-ediff-max-size (* 256 1024)
  "Number of characters above which a text is not shown in Ediff at once."
  :type 'natnum)

(defcustom hawser-popup 'display
  "What happens when an agent proposes a change.
`display' shows it in another window and leaves you where you are,
`select' brings you there, and nil only counts it in the mode line.
Nothing appears while you are in the minibuffer or have typed a part of
a key sequence.  In Ediff, a proposal appears only with `select'."
  :type '(choice (const display) (const select) (const :tag "Only count" nil)))

(defcustom hawser-context-lines 3
  "Number of unchanged lines around each hunk."
  :type 'natnum)

(defcustom hawser-confirm-kill t
  "Whether killing the diff of a proposal, which rejects it, asks first."
  :type 'boolean)

(defcustom hawser-folder-function #'hawser-project-folder
  "A function that returns the folder whose agents are served."
  :type 'function)

(defcustom hawser-agents '("claude" "gemini" "qwen" "copilot" "codex" "opencode")
  "Agents that `hawser-agent' offers.  Each is started by `hawser run'."
  :type '(repeat string))

(defcustom hawser-terminal nil
  "The terminal in which `hawser-agent' starts an agent.
nil is the first of `vterm', `eat' and `term' that is installed."
  :type '(choice (const :tag "The first that is installed" nil)
                 (const vterm) (const eat) (const term)))

(defconst hawser--max-selection (* 256 1024)
  "Characters of a selection that are sent: at most 1 MiB.")

(defconst hawser--max-message-text (* 256 1024)
  "Bytes above which the bridge sends a text as a file: JSON is slow.")

(defconst hawser--language-methods
  '((textDocument/definition . :definitionProvider)
    (textDocument/references . :referencesProvider)
    (textDocument/hover . :hoverProvider)
    (textDocument/documentSymbol . :documentSymbolProvider)
    (textDocument/rename . :renameProvider)
    (textDocument/codeAction . :codeActionProvider)
    (workspace/symbol . :workspaceSymbolProvider))
  "Language requests, and what a server says that can answer them.")

;;; State

(defvar hawser--connection nil "The connection to the bridge, or nil.")
(defvar hawser--status nil "What the bridge reported last, a plist.")
(defvar hawser--proposals nil "Open proposals, the oldest first.")
(defvar hawser--sent nil "Alist from a method to the params sent last.")
(defvar hawser--timer nil "The idle timer that sends the state.")
(defvar hawser--active-buffer nil "The buffer of the active document.")
(defvar hawser--folder nil "The workspace folder that agents are served for.")
(defvar hawser--test-requests nil "Requests of tests that are answered.")
(defvar hawser-mode)

(cl-defstruct (hawser--proposal (:copier nil))
  "A proposal, and what the user has made of it so far."
  params                                ; as the bridge sent it
  hunks                                 ; vector of [old count new count]
  marks                                 ; what the user says to each hunk
  notes                                 ; plists: text, lines
  old-buffer                            ; text of the file
  text-buffer                           ; proposed text; the user may edit it
  tick                                  ; state of `text-buffer' that HUNKS are of
  diff-buffer                           ; nil until it is shown
  ediff-buffer                          ; Ediff's control buffer, if it is in Ediff
  sent-tick                             ; state of `text-buffer' that was decided on here
  windows                               ; alist: a window, what it had before this
  configuration                         ; of the windows before Ediff
  problem                               ; why it could not be written, or nil
  state)                                ; nil, `sent' or `decided'

(defvar-local hawser--proposal nil "The proposal that this buffer shows.")

(defun hawser--get (proposal member)
  "Return MEMBER of PROPOSAL as the bridge sent it."
  (plist-get (hawser--proposal-params proposal) member))

;;; Paths, positions and texts

(defun hawser--uri (path)
  "Return the URI of PATH, with links resolved."
  (concat "file://" (url-hexify-string (encode-coding-string (file-truename path) 'utf-8)
                                       url-path-allowed-chars)))

(defvar-local hawser--uri-of-file nil
  "Cons of a file name and its URI, because `file-truename' is slow.")

(defun hawser--buffer-uri ()
  "Return the URI of the file that this buffer visits."
  (unless (equal (car hawser--uri-of-file) buffer-file-name)
    (setq hawser--uri-of-file (cons buffer-file-name (hawser--uri buffer-file-name))))
  (cdr hawser--uri-of-file))

(defun hawser--path (uri)
  "Return the path that the `file:' URI names."
  (unless (string-prefix-p "file://" uri)
    (hawser--fail "%s is not a file" uri))
  (decode-coding-string (url-unhex-string (url-filename (url-generic-parse-url uri))) 'utf-8))

(defun hawser--position (position)
  "Return POSITION of this buffer as line and UTF-16 unit, from 0."
  (save-excursion
    (goto-char position)
    (let* ((start (line-beginning-position))
           (units (- position start)))
      (while (re-search-backward "[\x10000-\x10ffff]" start t)
        (setq units (1+ units)))
      (list :line (1- (line-number-at-pos position t)) :character units))))

(defun hawser--range (start end)
  "Return the range from START to END of this buffer."
  (list :start (hawser--position start) :end (hawser--position end)))

(defun hawser--goto (position)
  "Go to POSITION, a plist with line and character, or the nearest one."
  (goto-char (point-min))
  (if (or (> (forward-line (plist-get position :line)) 0)
          (and (> (plist-get position :line) 0) (not (bolp))))
      (goto-char (point-max))
    (let ((units (plist-get position :character)))
      (while (and (> units 0) (not (eolp)))
        (setq units (- units (if (> (char-after) #xffff) 2 1)))
        (forward-char)))))

(defun hawser--select (range)
  "Make RANGE the region of this buffer, or put point there if it is empty."
  (widen)
  (deactivate-mark)
  (hawser--goto (plist-get range :start))
  (let ((start (point)))
    (hawser--goto (plist-get range :end))
    (unless (= start (point))
      (push-mark start t t))))

(defun hawser--encodable (text)
  "Return TEXT with U+FFFD for what JSON can't carry, such as raw bytes."
  (replace-regexp-in-string "[^\x1-\xd7ff\xe000-\x10ffff]" "\xfffd" text t t))

(defun hawser--file-text (start end)
  "Return the text from START to END with the line ends of the file."
  (let ((text (hawser--encodable (buffer-substring-no-properties start end))))
    (pcase (and buffer-file-coding-system (coding-system-eol-type buffer-file-coding-system))
      (1 (string-replace "\n" "\r\n" text))
      (2 (string-replace "\n" "\r" text))
      (_ text))))

(defun hawser--insert-member (params member)
  "Insert the text that PARAMS have as MEMBER, or the file that they name.
The file of `:newText' is `:newTextFile'."
  (if-let ((file (plist-get params (intern (format "%sFile" member)))))
      (let ((coding-system-for-read 'utf-8-unix))
        (insert-file-contents file)
        (goto-char (point-max)))
    (insert (or (plist-get params member) ""))))

(defun hawser--text-member (params member)
  "Return the text that PARAMS have as MEMBER, or in the file that they name."
  (with-temp-buffer
    (hawser--insert-member params member)
    (buffer-string)))

;;; What the bridge is told

(defun hawser--running-p ()
  "Return non-nil if there is a bridge."
  (and hawser--connection (jsonrpc-running-p hawser--connection)))

(defun hawser--notify (method params)
  "Send PARAMS as notification METHOD, if there is a bridge."
  (when (hawser--running-p)
    (jsonrpc-notify hawser--connection method params)))

(defun hawser--send (method params)
  "Send PARAMS as METHOD, unless they are what was sent last."
  (unless (equal params (alist-get method hawser--sent))
    (setf (alist-get method hawser--sent) params)
    (hawser--notify method params)))

(defvar hawser--echo-timer nil
  "The idle timer that echoes keys where Emacs does not.")

(defun hawser--say (format &rest arguments)
  "Tell the user FORMAT with ARGUMENTS, not as the answer to a command.
In the middle of a key sequence only the buffer *Messages* gets it,
because `message' ends the echo of the keys."
  (let ((text (concat "Hawser: " (apply #'format-message format arguments))))
    (if (= (length (this-command-keys-vector)) 0)
        (message "%s" text)
      (with-current-buffer (messages-buffer)
        (save-excursion
          (let ((inhibit-read-only t))
            (goto-char (point-max))
            (insert text "\n")))))))

(defun hawser--document-p (buffer)
  "Return non-nil if BUFFER visits a file of this machine."
  (let ((file (buffer-file-name buffer)))
    (and file (not (file-remote-p file)))))

(defun hawser--active ()
  "Return the buffer of the active document, or nil.
It stays active while the user is in the minibuffer or a terminal."
  (let ((buffer (window-buffer (selected-window))))
    (when (hawser--document-p buffer)
      (setq hawser--active-buffer buffer))
    (and (buffer-live-p hawser--active-buffer) hawser--active-buffer)))

(defvar-local hawser--line-count nil
  "Cons of the number of lines and the state of the text that has them.")

(defun hawser--count-lines ()
  "Return the number of lines of this buffer, with an empty last one."
  (let ((tick (buffer-chars-modified-tick)))
    (unless (eql tick (cdr hawser--line-count))
      (setq hawser--line-count
            (cons (save-restriction (widen) (line-number-at-pos (point-max))) tick)))
    (car hawser--line-count)))

(defun hawser--json-boolean (value)
  "Return VALUE as JSON has it."
  (if value t :json-false))

(defun hawser--documents ()
  "Return all documents."
  (let ((active (hawser--active)))
    (cl-loop for buffer in (buffer-list)
             when (hawser--document-p buffer)
             vconcat (with-current-buffer buffer
                       (vector (list :uri (hawser--buffer-uri)
                                     :lineCount (hawser--count-lines)
                                     :isActive (hawser--json-boolean (eq buffer active))
                                     :isDirty (hawser--json-boolean (buffer-modified-p))))))))

(defun hawser--selection ()
  "Return the region of the active document, or its cursor."
  (if-let ((buffer (hawser--active)))
      (with-current-buffer buffer
        (save-restriction
          (widen)
          (let* ((selects (and mark-active (mark)))
                 (start (if selects (region-beginning) (point)))
                 (end (if selects (min (region-end) (+ start hawser--max-selection)) start)))
            (list :uri (hawser--buffer-uri)
                  :range (hawser--range start end)
                  :text (hawser--file-text start end)))))
    (list :uri nil)))

(defun hawser--send-state ()
  "Tell the bridge the documents and the selection, if they have changed."
  (when (hawser--running-p)
    (hawser--send :editor/didChangeDocuments (list :documents (hawser--documents)))
    (hawser--send :editor/didChangeSelection (hawser--selection))))

(defun hawser--saved ()
  "Tell the bridge that the user has saved this buffer."
  (when (hawser--document-p (current-buffer))
    (hawser--notify :editor/didSave (list :uri (hawser--buffer-uri)))
    (hawser--send-state)))

(defun hawser--diagnostic (start end severity message &optional source)
  "Return MESSAGE on the text from START to END as LSP has it.
SEVERITY is 1 for an error, 2 for a warning and 3 for the rest, and
SOURCE the symbol of a checker."
  (append (list :range (hawser--range start (max start end))
                :severity severity
                :message (hawser--encodable message))
          (and source (list :source (symbol-name source)))))

(defun hawser--flymake-diagnostics ()
  "Return what Flymake has found in this buffer."
  (cl-loop for each in (flymake-diagnostics)
           for level = (flymake--lookup-type-property (flymake-diagnostic-type each) 'severity
                                                      (warning-numeric-level :error))
           collect (hawser--diagnostic (flymake-diagnostic-beg each) (flymake-diagnostic-end each)
                                       (cond ((>= level (warning-numeric-level :error)) 1)
                                             ((>= level (warning-numeric-level :warning)) 2)
                                             (t 3))
                                       (flymake-diagnostic-text each))))

(defun hawser--flycheck-diagnostics ()
  "Return what Flycheck has found in this buffer."
  (cl-loop for each in flycheck-current-errors
           for level = (flycheck-error-level-severity (flycheck-error-level each))
           for region = (flycheck-error-region-for-mode each 'symbols)
           when region
           collect (hawser--diagnostic (car region) (cdr region)
                                       (cond ((>= level 100) 1) ((>= level 10) 2) (t 3))
                                       (or (flycheck-error-message each) "")
                                       (flycheck-error-checker each))))

(defun hawser--send-diagnostics (&rest _)
  "Tell the bridge what Flymake and Flycheck have found in this buffer."
  (when (and (hawser--running-p) (hawser--document-p (current-buffer)))
    (save-restriction
      (widen)
      (hawser--notify
       :textDocument/publishDiagnostics
       (list :uri (hawser--buffer-uri)
             :diagnostics
             (vconcat (and (bound-and-true-p flymake-mode) (hawser--flymake-diagnostics))
                      (and (bound-and-true-p flycheck-mode) (hawser--flycheck-diagnostics))))))))

(defun hawser-mention ()
  "Point agents to the lines of the region, or to the file."
  (interactive)
  (hawser--check-running)
  (unless (hawser--document-p (current-buffer))
    (user-error "This buffer visits no file that agents can read"))
  (hawser--notify :editor/mention
                  (append (list :uri (hawser--buffer-uri))
                          (when (and mark-active (mark))
                            (list :range (hawser--range (region-beginning) (region-end)))))))

(defun hawser-pause ()
  "Hide everything from agents, or show it again."
  (interactive)
  (hawser--check-running)
  (hawser--notify :editor/pause
                  (list :paused (hawser--json-boolean (not (hawser--paused-p))))))

(defun hawser-review-in-browser ()
  "Open the review in the browser.
Without a graphical display the link is put into the kill ring, too."
  (interactive)
  (hawser--check-running)
  (jsonrpc-async-request
   hawser--connection :review/openPage
   (list :open (hawser--json-boolean (not (display-graphic-p))))
   :success-fn (lambda (answer)
                 (let ((link (plist-get answer :link)))
                   (cond ((eq t (plist-get answer :isOpen))
                          (hawser--say "The review is open in your browser"))
                         ((display-graphic-p) (browse-url link))
                         (t (kill-new link)
                            (hawser--say "Open this link, once (C-y has it): %s" link)))))
   :error-fn #'hawser--show-error))

(defun hawser-change-folder (folder)
  "Serve agents that work in FOLDER instead."
  (interactive "DServe agents in: ")
  (hawser--check-running)
  (setq hawser--folder (directory-file-name (expand-file-name folder)))
  (hawser--send :editor/didChangeFolders (list :workspaceFolders (hawser--workspace-folders))))

(defun hawser--workspace-folders ()
  "Return the workspace folders as the protocol has them."
  (vector (list :uri (hawser--uri hawser--folder)
                :name (file-name-nondirectory hawser--folder))))

(defun hawser--paused-p ()
  "Return non-nil if the user has paused the bridge."
  (eq (plist-get hawser--status :paused) t))

(defun hawser--check-running ()
  "Signal an error if there is no bridge."
  (unless (hawser--running-p)
    (user-error "Hawser is not running; start it with M-x hawser-mode")))

;;; What the bridge asks for

(defun hawser--fail (format &rest arguments)
  "Answer a request with an error: FORMAT with ARGUMENTS."
  (jsonrpc-error :code -32603 :message (apply #'format-message format arguments)))

(cl-defgeneric hawser--handle (method params)
  "Do what the bridge asks for by METHOD with PARAMS, and return the result.")

(cl-defmethod hawser--handle (method _params)
  "Refuse METHOD, which this version does not know."
  (jsonrpc-error :code -32601 :message (format "Emacs does not know %s" method)))

(defun hawser--answer (_connection method params)
  "Return the result of the request METHOD with PARAMS.
A request that comes too late, or would need an answer of the user,
fails."
  (let ((deadline (plist-get params :deadline))
        (inhibit-interaction t))
    (when (and deadline (> (float-time) (/ deadline 1000.0)))
      (hawser--fail "Emacs was busy and got to %s too late" method))
    (condition-case problem
        (if (assq method hawser--language-methods)
            (hawser--language method params)
          (hawser--handle method params))
      (jsonrpc-error (signal (car problem) (cdr problem)))
      (inhibited-interaction
       (hawser--fail "Emacs has a question about %s; open it there first" (plist-get params :uri)))
      (error (hawser--fail "%s: %s" (error-message-string problem)
                           (if-let ((uri (plist-get params :uri))) (hawser--path uri) method))))))

(defun hawser--heed (_connection method params)
  "Handle the notification METHOD with PARAMS; ignore unknown ones."
  (condition-case problem
      (hawser--handle method params)
    (jsonrpc-error nil)
    (error (hawser--say "%s: %s" method (error-message-string problem)))))

(defun hawser--open-buffer (uri)
  "Return the buffer of the document URI, which must be open."
  (or (find-buffer-visiting (hawser--path uri))
      (hawser--fail "%s is not open in Emacs" (hawser--path uri))))

(defun hawser--visit (path)
  "Return a buffer that visits PATH, without a question to the user."
  (or (find-buffer-visiting path)
      (let ((large-file-warning-threshold nil)
            (enable-local-variables :safe)
            (enable-local-eval nil)
            (find-file-suppress-same-file-warnings t))
        (find-file-noselect (file-truename path) t))))

(defun hawser--display (buffer)
  "Select a window with BUFFER.
A window with a terminal or a proposal keeps it.  A user in the
minibuffer stays there."
  (let ((show (lambda ()
                (pop-to-buffer buffer
                               (if (or hawser--proposal (get-buffer-process (current-buffer)))
                                   '((display-buffer-reuse-window display-buffer-use-some-window
                                                                  display-buffer-pop-up-window)
                                     (inhibit-same-window . t))
                                 '((display-buffer-reuse-window display-buffer-same-window)))))))
    (if (active-minibuffer-window)
        (with-selected-window (or (minibuffer-selected-window) (get-largest-window))
          (funcall show))
      (funcall show))))

(cl-defmethod hawser--handle ((_method (eql 'window/showDocument)) params)
  "Open the file that PARAMS name, and select in it."
  (let ((path (hawser--path (plist-get params :uri))))
    (unless (or (find-buffer-visiting path) (file-regular-p path))
      (hawser--fail "There is no file %s" path))
    (let ((buffer (hawser--visit path)))
      (when (eq (plist-get params :takeFocus) t)
        (hawser--display buffer)
        (setq hawser--active-buffer buffer))
      (when-let ((selection (plist-get params :selection)))
        (with-current-buffer buffer
          (hawser--select selection)
          (dolist (window (get-buffer-window-list buffer nil t))
            (set-window-point window (point))))))
    (hawser--send-state)
    '(:success t)))

(defun hawser--check-writable (path)
  "Fail if the file PATH is read-only, also for a superuser."
  (when (and (file-exists-p path)
             (or (not (file-writable-p path))
                 (zerop (logand #o222 (file-modes path)))))
    (hawser--fail "%s is read-only" path)))

(cl-defmethod hawser--handle ((_method (eql 'editor/save)) params)
  "Save the document that PARAMS name."
  (with-current-buffer (hawser--open-buffer (plist-get params :uri))
    (unless (verify-visited-file-modtime)
      (hawser--fail "%s has changed on disk" buffer-file-name))
    (hawser--check-writable buffer-file-name)
    (let ((require-final-newline nil)
          (save-silently t))
      (basic-save-buffer))
    (hawser--send-state)
    nil))

(cl-defmethod hawser--handle ((_method (eql 'editor/close)) params)
  "Close the document that PARAMS name."
  (let ((buffer (hawser--open-buffer (plist-get params :uri))))
    (when (buffer-modified-p buffer)
      (hawser--fail "%s has unsaved text" (buffer-file-name buffer)))
    (kill-buffer buffer)
    (hawser--send-state)
    nil))

(cl-defmethod hawser--handle ((_method (eql 'editor/writeText)) params)
  "Make the text of PARAMS the text of a file, if the file is as expected."
  (let* ((path (file-truename (hawser--path (plist-get params :uri))))
         (is-new (eq (plist-get params :isNewFile) t))
         (was-open (find-buffer-visiting path)))
    (cond ((file-directory-p path) (hawser--fail "%s is a folder" path))
          ((and was-open (buffer-modified-p was-open)) (hawser--fail "%s has unsaved text" path))
          ((and is-new (file-exists-p path)) (hawser--fail "%s exists already" path))
          ((not (or is-new (file-exists-p path))) (hawser--fail "There is no file %s" path)))
    (hawser--check-writable path)
    (make-directory (file-name-directory path) t)
    (let ((buffer (hawser--visit path))
          (is-written nil))
      (unwind-protect
          (with-current-buffer buffer
            (unless (or is-new (verify-visited-file-modtime))
              (revert-buffer t t t))
            (unless (or is-new (equal (hawser--text-on-disk) (hawser--text-member params :expected)))
              (hawser--fail "%s has changed on disk" path))
            (hawser--replace-text (hawser--text-member params :text))
            (setq is-written t))
        (unless (or is-written was-open)
          (with-current-buffer buffer (set-buffer-modified-p nil))
          (kill-buffer buffer))))
    (hawser--send-state)
    nil))

(defun hawser--text-on-disk ()
  "Return the exact text of the file of this buffer."
  (let ((file buffer-file-name)
        (coding-system-for-read
         (coding-system-change-eol-conversion buffer-file-coding-system 'unix)))
    (with-temp-buffer
      (insert-file-contents file)
      (buffer-string))))

(defun hawser--coding-for (text)
  "Return the coding system in which TEXT is to be saved in this buffer.
It is the one of the file, with other line ends if TEXT has others."
  (let* ((has-crlf (string-search "\r\n" text))
         (is-dos (and has-crlf (not (string-match-p "\\(?:\\`\\|[^\r]\\)\n" text))))
         (base (coding-system-base (or buffer-file-coding-system 'utf-8)))
         (coding (if (memq base '(undecided us-ascii prefer-utf-8 no-conversion)) 'utf-8
                   buffer-file-coding-system)))
    (coding-system-change-eol-conversion coding (if is-dos 'dos 'unix))))

(defun hawser--replace-text (text)
  "Make TEXT the text of this buffer and its file, in one undo step.
If it can't be saved, the buffer is as before."
  (let* ((coding (hawser--coding-for text))
         (before (save-restriction (widen) (buffer-string)))
         (coding-before buffer-file-coding-system)
         (file buffer-file-name)
         (inhibit-read-only t)
         (source (generate-new-buffer " *hawser text*" t))
         (is-saved nil))
    (unwind-protect
        (save-restriction
          (widen)
          (with-current-buffer source
            (insert (if (eq (coding-system-eol-type coding) 1) (string-replace "\r\n" "\n" text) text))
            (when (unencodable-char-position (point-min) (point-max) coding)
              (hawser--fail "%s can't be saved in its coding system, %s" file coding)))
          (undo-boundary)
          (replace-buffer-contents source 0.2)
          (undo-boundary)
          (setq buffer-file-coding-system coding)
          (set-buffer-modified-p t)
          ;; What was accepted is what is written: nothing may change it.
          (let ((require-final-newline nil)
                (before-save-hook nil)
                (write-contents-functions nil)
                (write-file-functions nil)
                (save-silently t))
            (basic-save-buffer))
          (setq is-saved t))
      (kill-buffer source)
      (unless is-saved
        (setq buffer-file-coding-system coding-before)
        (unless (equal before (buffer-string))
          (erase-buffer)
          (insert before))
        (set-buffer-modified-p nil)))))

(cl-defmethod hawser--handle ((_method (eql 'workspace/didChangeWatchedFiles)) params)
  "Bring the documents of the files in PARAMS up to date."
  (cl-loop for change across (plist-get params :changes)
           for path = (hawser--path (plist-get change :uri))
           for buffer = (find-buffer-visiting path)
           when (and buffer (file-regular-p path) (not (buffer-modified-p buffer)))
           do (with-current-buffer buffer
                (unless (verify-visited-file-modtime)
                  (let ((inhibit-message t))
                    (revert-buffer t t t)))))
  (hawser--send-state))

(cl-defmethod hawser--handle ((_method (eql 'window/showMessage)) params)
  "Show the message of PARAMS."
  (hawser--say "%s" (plist-get params :message)))

(cl-defmethod hawser--handle ((_method (eql 'bridge/status)) params)
  "Keep PARAMS for the mode line."
  (setq hawser--status params)
  (force-mode-line-update t))

;;; Language features

;; The language server that Eglot runs for a document answers the requests
;; of LSP, unsaved text included.  Where there is none, the bridge is told
;; so, and asks its own.

(defun hawser--server (provider)
  "Return the server of Eglot for this buffer, if it has PROVIDER."
  (when-let ((server (and (fboundp 'eglot-current-server) (eglot-current-server))))
    (let* ((offers (eglot--capabilities server))
           (offer (plist-member offers provider)))
      ;; An offer can be {}, which is nil.
      (and offer (not (eq (cadr offer) :json-false)) server))))

(defun hawser--recode (value uri convert)
  "Return VALUE, which a language server sends or gets, with other positions.
CONVERT gets the URI of the text, which may be that of a part of VALUE,
and a position."
  (cond
   ((vectorp value) (cl-loop for each across value vconcat (vector (hawser--recode each uri convert))))
   ((not (and (consp value) (keywordp (car value)))) value)
   ((plist-member value :character) (funcall convert uri value))
   (t (let ((uri (or (plist-get value :targetUri) (plist-get value :uri)
                     (plist-get (plist-get value :textDocument) :uri) uri)))
        (cl-loop for (key part) on value by #'cddr
                 ;; The members of `changes' are called as the files.
                 for of = (if (string-prefix-p ":file:" (symbol-name key))
                              (substring (symbol-name key) 1)
                            uri)
                 nconc (list key (hawser--recode part of convert)))))))

(defun hawser--to-server (encoding)
  "Return a function that gives positions of this buffer in ENCODING."
  (lambda (_uri position)
    (save-excursion
      (save-restriction
        (widen)
        (hawser--goto position)
        (let ((start (line-beginning-position)))
          (list :line (plist-get position :line)
                :character (if (equal encoding "utf-8") (- (position-bytes (point)) (position-bytes start))
                             (- (point) start))))))))

(defun hawser--from-server (encoding)
  "Return a function that gives positions in ENCODING of any file in UTF-16."
  (lambda (uri position)
    (let* ((path (hawser--path uri))
           (open (find-buffer-visiting path))
           (convert (lambda ()
                      (save-excursion
                        (goto-char (point-min))
                        (forward-line (plist-get position :line))
                        (let ((units (plist-get position :character)))
                          (hawser--position
                           (min (line-end-position)
                                (if (equal encoding "utf-8")
                                    (or (byte-to-position (+ (position-bytes (point)) units)) (point-max))
                                  (+ (point) units)))))))))
      (if open (with-current-buffer open (save-restriction (widen) (funcall convert)))
        (with-temp-buffer
          (insert-file-contents path)
          (funcall convert))))))

(defun hawser--ask-server (server method params respond)
  "Ask SERVER for METHOD with PARAMS, and call RESPOND with its answer.
RESPOND gets `:result' and the result, or `:error' and the error."
  (let ((failed (lambda (message)
                  (funcall respond :error (list :code -32603 :message message)))))
    (jsonrpc-async-request
     server method params
     :deferred (make-symbol "hawser")   ; sends unsaved text first
     :timeout 20
     :success-fn (lambda (result) (funcall respond :result result))
     :error-fn (lambda (problem) (funcall failed (or (plist-get problem :message) "It failed")))
     :timeout-fn (lambda () (funcall failed "The language server does not answer")))))

(defun hawser--resolve-actions (server actions respond)
  "Call RESPOND with ACTIONS, with edits that SERVER gives when asked."
  (let* ((actions (vconcat actions))
         (resolves (eq t (plist-get (plist-get (eglot--capabilities server) :codeActionProvider)
                                    :resolveProvider)))
         (waiting 1)
         (finish (lambda ()
                   (when (zerop (cl-decf waiting))
                     (funcall respond :result actions)))))
    (dotimes (index (if resolves (length actions) 0))
      (let ((action (aref actions index)))
        (unless (or (plist-get action :edit) (stringp (plist-get action :command)))
          (cl-incf waiting)
          (hawser--ask-server server :codeAction/resolve action
                              (lambda (kind value)
                                (when (eq kind :result) (aset actions index value))
                                (funcall finish))))))
    (funcall finish)))

(defun hawser--language (method params)
  "Return a function that answers the language request METHOD with PARAMS."
  (let* ((uri (plist-get (plist-get params :textDocument) :uri))
         (provider (alist-get method hawser--language-methods))
         (buffer (if uri (hawser--open-buffer uri)
                   (cl-find-if (lambda (each) (with-current-buffer each (hawser--server provider)))
                               (buffer-list)))))
    (with-current-buffer (or buffer (current-buffer))
      (if-let ((server (hawser--server provider)))
          (hawser--request server method uri
                           (append (and uri (list :textDocument (eglot--TextDocumentIdentifier)))
                                   (cl-loop for (key value) on params by #'cddr
                                            unless (memq key '(:textDocument :deadline))
                                            nconc (list key value))))
        (if-let ((found (and uri (eq method 'textDocument/definition)
                             (hawser--xref-definitions (plist-get params :position)))))
            (lambda (respond) (funcall respond :result found))
          (jsonrpc-error :code -32601 :message
                         (format "No language server of Emacs offers %s for %s" method
                                 (if uri (hawser--path uri) "this folder"))))))))

(defun hawser--request (server method uri params)
  "Return a function that asks SERVER for METHOD with PARAMS.
They are about this buffer, of URI.  Positions are in the units of SERVER
on the way to it and back."
  (let* ((encoding (or (plist-get (eglot--capabilities server) :positionEncoding) "utf-16"))
         (is-utf-16 (equal encoding "utf-16"))
         (query (if is-utf-16 params (hawser--recode params uri (hawser--to-server encoding)))))
    (lambda (respond)
      (let ((answer (lambda (kind value)
                      (funcall respond kind
                               (if (or is-utf-16 (eq kind :error)) value
                                 (hawser--recode value uri (hawser--from-server encoding)))))))
        (hawser--ask-server
         server method query
         (lambda (kind value)
           (if (and (eq kind :result) (eq method 'textDocument/codeAction))
               (hawser--resolve-actions server value answer)
             (funcall answer kind value))))))))

(defun hawser--xref-definitions (position)
  "Return the definitions of what is at POSITION of this buffer, or nil.
They are those of Xref without Eglot, and without a question for a table
of tags."
  (require 'xref)
  (save-excursion
    (hawser--goto position)
    (let ((backend (xref-find-backend)))
      (unless (or (eq backend 'eglot)
                  (and (eq backend 'etags) (not (or (bound-and-true-p tags-file-name)
                                                    (bound-and-true-p tags-table-list)))))
        (cl-loop for item in (ignore-errors
                               (xref-backend-definitions
                                backend (xref-backend-identifier-at-point backend)))
                 for marker = (xref-location-marker (xref-item-location item))
                 vconcat (with-current-buffer (marker-buffer marker)
                           (save-restriction
                             (widen)
                             (vector (list :uri (hawser--buffer-uri)
                                           :range (hawser--range marker marker))))))))))

;;; Proposals: what arrives and what is answered

(defun hawser--find (id)
  "Return the open proposal ID, or nil."
  (cl-find id hawser--proposals :key (lambda (each) (hawser--get each :id)) :test #'equal))

(defun hawser--name (proposal)
  "Return the name of the file of PROPOSAL."
  (file-name-nondirectory (directory-file-name (hawser--path (hawser--get proposal :uri)))))

(defun hawser--text (proposal)
  "Return the text of PROPOSAL as the user has it now."
  (with-current-buffer (hawser--proposal-text-buffer proposal)
    (save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max)))))

(defun hawser--edited-p (proposal)
  "Return non-nil if the user has edited the text of PROPOSAL."
  (buffer-modified-p (hawser--proposal-text-buffer proposal)))

(defun hawser--tick (proposal)
  "Return the state of the text of PROPOSAL."
  (buffer-chars-modified-tick (hawser--proposal-text-buffer proposal)))

(defun hawser--fill (buffer params member)
  "Make the text that PARAMS have as MEMBER the unmodified text of BUFFER."
  (with-current-buffer buffer
    (let ((inhibit-read-only t))
      (erase-buffer)
      (hawser--insert-member params member)
      (goto-char (point-min))
      (set-buffer-modified-p nil))))

(defun hawser--take (proposal params)
  "Make PARAMS the content of PROPOSAL.  What the user has edited stays."
  (setf (hawser--proposal-params proposal) (cl-loop for (key value) on params by #'cddr
                                                    unless (memq key '(:oldText :newText))
                                                    nconc (list key value))
        (hawser--proposal-state proposal) nil
        (hawser--proposal-problem proposal) nil)
  (hawser--fill (hawser--proposal-old-buffer proposal) params :oldText)
  (unless (hawser--edited-p proposal)
    (hawser--fill (hawser--proposal-text-buffer proposal) params :newText))
  (hawser--set-hunks proposal (plist-get params :hunks) (plist-get params :marks)))

(defun hawser--set-hunks (proposal hunks choices)
  "Make HUNKS those of the text of PROPOSAL; CHOICES were made on them."
  (setf (hawser--proposal-hunks proposal) (vconcat hunks)
        (hawser--proposal-marks proposal) (if (= (length choices) (length hunks)) (vconcat choices)
                                            (make-vector (length hunks) "undecided"))
        (hawser--proposal-tick proposal) (hawser--tick proposal)))

(defun hawser--ask-hunks (proposal before choices &optional revision)
  "Ask for the hunks of the text of PROPOSAL as it is now, and redraw the diff.
CHOICES are the marks on the hunks of the text BEFORE, or of the proposed
text if that is nil.  A text that was made from an earlier REVISION is
merged with what has changed in the file since."
  (let ((tick (hawser--tick proposal)))
    (jsonrpc-async-request
     hawser--connection :proposal/hunks
     (append (list :id (hawser--get proposal :id) :text (hawser--encodable (hawser--text proposal)))
             (and before (list :before before))
             (and (> (length choices) 0) (list :choices (vconcat choices)))
             (and revision (list :revision revision)))
     :success-fn (lambda (answer)
                   (when (and (memq proposal hawser--proposals) (eql tick (hawser--tick proposal)))
                     (when-let ((merged (plist-get answer :text)))
                       (with-temp-buffer
                         (insert merged)
                         (let ((source (current-buffer)))
                           (with-current-buffer (hawser--proposal-text-buffer proposal)
                             (replace-buffer-contents source 0.2)))))
                     (hawser--set-hunks proposal (plist-get answer :hunks) (plist-get answer :choices))
                     (hawser--redraw proposal)))
     :error-fn #'hawser--show-error)))

(defun hawser--show-error (problem)
  "Tell the user what PROBLEM the bridge has."
  (hawser--say "%s" (plist-get problem :message)))

(cl-defmethod hawser--handle ((_method (eql 'proposal/show)) params)
  "Put the proposal PARAMS into the queue."
  (if (hawser--find (plist-get params :id))
      (hawser--handle 'proposal/update params)
    (let ((proposal (make-hawser--proposal
                     :old-buffer (generate-new-buffer " *hawser file*")
                     :text-buffer (generate-new-buffer " *hawser proposed*"))))
      (with-current-buffer (hawser--proposal-old-buffer proposal)
        (setq buffer-read-only t))
      (hawser--take proposal params)
      (setq hawser--proposals (append hawser--proposals (list proposal)))
      (force-mode-line-update t)
      (hawser--say "%s" (hawser--sentence proposal))
      (hawser--show-soon)
      '(:state "queued"))))

(cl-defmethod hawser--handle ((_method (eql 'proposal/update)) params)
  "Replace a proposal by PARAMS, which have a new revision."
  (if-let ((proposal (hawser--find (plist-get params :id))))
      (let* ((marks (hawser--proposal-marks proposal))
             (is-marked (cl-find "undecided" marks :test-not #'equal))
             (before (and is-marked (hawser--text proposal)))
             (revision (and (hawser--edited-p proposal) (hawser--get proposal :revision))))
        (hawser--take proposal params)
        (when (or is-marked revision)
          (hawser--ask-hunks proposal before marks revision))
        (hawser--redraw proposal)
        (hawser--say "%s has changed; look at the proposal again" (hawser--name proposal))
        (hawser--show-soon)
        '(:state "queued"))
    (hawser--handle 'proposal/show params)))

(cl-defmethod hawser--handle ((_method (eql 'proposal/progress)) params)
  "Show what has become of a decision, by PARAMS."
  (when-let ((proposal (hawser--find (plist-get params :id))))
    (let ((progress (plist-get params :progress)))
      (setf (hawser--proposal-state proposal)
            (pcase (plist-get progress :kind) ("applying" 'sent) ("decided" 'decided)))
      (setf (hawser--proposal-problem proposal) (plist-get progress :reason))
      (when-let ((problem (hawser--proposal-problem proposal)))
        (hawser--take-back proposal (hawser--text-member progress :text))
        (hawser--say "%s was not written: %s" (hawser--name proposal) problem))
      (hawser--redraw proposal)
      (hawser--show-soon))))

(defun hawser--take-back (proposal text)
  "Offer TEXT, accepted elsewhere and not written, as the text of PROPOSAL.
A text that was accepted or edited here is there already."
  (unless (or (string-empty-p text) (hawser--proposal-sent-tick proposal) (hawser--edited-p proposal)
              (equal text (hawser--text proposal)))
    (with-current-buffer (hawser--proposal-text-buffer proposal)
      (erase-buffer)
      (insert text))
    (hawser--ask-hunks proposal nil nil)))

(cl-defmethod hawser--handle ((_method (eql 'proposal/close)) params)
  "Remove a proposal that has ended, as PARAMS say."
  (when-let ((proposal (hawser--find (plist-get params :id))))
    (setq hawser--proposals (delq proposal hawser--proposals))
    (let ((outcome (plist-get params :outcome)))
      (when (and (hawser--edited-p proposal)
                 (not (eql (hawser--proposal-sent-tick proposal) (hawser--tick proposal))))
        (hawser--keep-text proposal))
      (hawser--say "%s: %s%s" (hawser--name proposal)
                   (pcase (plist-get outcome :kind)
                     ("accepted" "accepted")
                     ("rejected" "rejected")
                     ("changesRequested" "the agent was asked for changes")
                     (_ (format "withdrawn, %s" (plist-get outcome :reason))))
                   (if-let ((kept (plist-get outcome :kept))) (format "; your text is in %s" kept) "")))
    (hawser--remove-views proposal)
    (force-mode-line-update t)
    (hawser--show-soon)))

(defun hawser--keep-text (proposal)
  "Keep what the user has made of the text of PROPOSAL in a buffer."
  (with-current-buffer (hawser--proposal-text-buffer proposal)
    (setq hawser--proposal nil)
    (hawser-text-mode -1)
    (rename-buffer (format "*hawser kept: %s*" (hawser--name proposal)) t)
    (hawser--say "your text is in the buffer %s" (buffer-name))
    (setf (hawser--proposal-text-buffer proposal) nil)))

;;; Proposals: decisions

(defun hawser--here ()
  "Return the proposal of this buffer, or signal an error."
  (or (and (memq hawser--proposal hawser--proposals) hawser--proposal)
      (user-error "There is no open proposal here; M-x hawser-review shows the next one")))

(defun hawser--read-note ()
  "With a prefix argument, read a note to the agent."
  (when current-prefix-arg
    (hawser--check-notes (hawser--here))
    (list (read-string "Note to the agent: "))))

(defun hawser--check-notes (proposal)
  "Signal an error if notes don't reach the agent of PROPOSAL."
  (when (equal (hawser--get proposal :noteDelivery) "none")
    (user-error "Notes do not reach %s" (hawser--get proposal :agent))))

(defun hawser--decide (proposal decision &optional note)
  "Send DECISION on PROPOSAL, with your text, all notes and NOTE."
  (hawser--check-running)
  (when (eq (hawser--proposal-state proposal) 'sent)
    (user-error "Your decision is being carried out"))
  (when (and note (not (string-empty-p note)))
    (hawser--add-note proposal (list :text note)))
  (let ((edited (and (hawser--edited-p proposal)
                     (list :text (hawser--encodable (hawser--text proposal)))))
        (failed (lambda (problem)
                  (setf (hawser--proposal-state proposal) nil
                        (hawser--proposal-sent-tick proposal) nil)
                  (hawser--show-error problem))))
    (setf (hawser--proposal-state proposal) 'sent
          (hawser--proposal-sent-tick proposal) (hawser--tick proposal))
    (jsonrpc-async-request
     hawser--connection :proposal/decide
     (list :id (hawser--get proposal :id)
           :revision (hawser--get proposal :revision)
           :decision (append decision edited
                             (when-let ((notes (hawser--proposal-notes proposal)))
                               (list :notes (vconcat (reverse notes))))))
     :timeout nil
     :success-fn
     (lambda (answer)
       (pcase (plist-get answer :kind)
         ("stale" (funcall failed '(:message "The file has changed: look at the proposal again")))
         ("failed" (funcall failed (list :message (plist-get answer :reason))))
         ("waiting"
          (setf (hawser--proposal-state proposal) 'decided)
          (hawser--say "%d of %d files decided" (plist-get answer :decided) (plist-get answer :size))
          (hawser--hide proposal)
          (hawser--show-soon))))
     :error-fn failed)))

(defun hawser-accept (&optional note)
  "Accept the proposal as it stands: with your edits, without rejected hunks.
With a prefix argument, ask for a NOTE to the agent."
  (interactive (hawser--read-note))
  (let* ((proposal (hawser--here))
         (marks (hawser--proposal-marks proposal))
         (wanted (cl-loop for mark across marks for index from 0
                          unless (equal mark "rejected") vconcat (vector index))))
    (cond
     ((= (length wanted) (length marks))
      (hawser--decide proposal '(:kind "accepted") note))
     ((not (eql (hawser--proposal-tick proposal) (hawser--tick proposal)))
      (hawser-show-diff)
      (message "You have edited the text and rejected hunks: look at the diff, then accept there"))
     ((= (length wanted) 0)
      (user-error "Every hunk is rejected: C-c C-k rejects the proposal"))
     (t (hawser--decide proposal (list :kind "accepted" :hunks wanted) note)))))

(defun hawser-reject (&optional note)
  "Reject the proposal.  With a prefix argument, ask for a NOTE to the agent."
  (interactive (hawser--read-note))
  (hawser--decide (hawser--here) '(:kind "rejected") note))

(defun hawser-request-changes (&optional note)
  "Write nothing, and send the agent your notes.
Ask for a NOTE if there is none yet."
  (interactive
   (let ((proposal (hawser--here)))
     (hawser--check-notes proposal)
     (unless (hawser--proposal-notes proposal)
       (list (read-string "What should the agent change? ")))))
  (let* ((proposal (hawser--here))
         (is-current (eql (hawser--proposal-tick proposal) (hawser--tick proposal))))
    (unless (or (hawser--proposal-notes proposal) (and note (not (string-empty-p note))))
      (user-error "Write what the agent should change"))
    (hawser--decide proposal
                    (append '(:kind "changesRequested")
                            (and is-current (list :marks (hawser--proposal-marks proposal))))
                    note)))

(defun hawser--add-note (proposal note)
  "Add NOTE, a plist, to PROPOSAL."
  (push note (hawser--proposal-notes proposal))
  (hawser--redraw proposal))

(defun hawser--lines-at (start end)
  "Return the lines that are shown from START to END, as a note names them.
The head of a hunk stands for what the hunk changes.  Return nil above
the diff."
  (let* ((at (lambda (position)
               (get-text-property (save-excursion (goto-char position) (line-beginning-position))
                                  'hawser-line)))
         (first (funcall at start))
         (last (funcall at end))
         (hunk (get-text-property start 'hawser-hunk)))
    (cond (first (list :side (car first) :first (cdr first)
                       :count (if (equal (car first) (car last)) (1+ (- (cdr last) (cdr first))) 1)))
          (hunk (pcase-let ((`[,old ,old-count ,new ,new-count]
                             (aref (hawser--proposal-hunks (hawser--here)) hunk)))
                  (if (> new-count 0) (list :side "new" :first new :count new-count)
                    (list :side "old" :first old :count old-count)))))))

(defun hawser-add-note (text)
  "Write a note with TEXT to the agent, on this line, the region or the hunk.
It is on the hunk if point is on its head, and on the whole proposal in
the lines above the diff."
  (interactive
   (progn (hawser--check-notes (hawser--here)) (list (read-string "Note: "))))
  (let ((lines (if (use-region-p)
                   (hawser--lines-at (region-beginning) (max (region-beginning) (1- (region-end))))
                 (hawser--lines-at (point) (point)))))
    (hawser--add-note (hawser--here) (append (list :text text) (and lines (list :lines lines))))
    (deactivate-mark)))

(defun hawser-remove-note ()
  "Remove the note that you wrote last."
  (interactive)
  (let ((proposal (hawser--here)))
    (unless (pop (hawser--proposal-notes proposal))
      (user-error "There is no note"))
    (hawser--redraw proposal)))

(defun hawser--mark-hunk (mark)
  "Set MARK on the hunk at point and go to the next one."
  (let* ((proposal (hawser--here))
         (index (or (get-text-property (point) 'hawser-hunk)
                    (user-error "There is no hunk here; n goes to the next one"))))
    (unless (eql (hawser--proposal-tick proposal) (hawser--tick proposal))
      (hawser-show-diff)
      (user-error "You have edited the text; look at the diff again"))
    (aset (hawser--proposal-marks proposal) index mark)
    (hawser--redraw proposal)
    (ignore-errors (diff-hunk-next))))

(defun hawser-accept-hunk ()
  "Accept this hunk.  Nothing is sent before you accept the proposal."
  (interactive)
  (hawser--mark-hunk "accepted"))

(defun hawser-reject-hunk ()
  "Reject this hunk.  Nothing is sent before you accept the proposal."
  (interactive)
  (hawser--mark-hunk "rejected"))

(defun hawser-reset-hunk ()
  "Forget what you have said to this hunk."
  (interactive)
  (hawser--mark-hunk "undecided"))

;;; Proposals: the diff

(defvar hawser-diff-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map special-mode-map)
    (define-key map (kbd "C-c C-c") #'hawser-accept)
    (define-key map (kbd "C-c C-k") #'hawser-reject)
    (define-key map (kbd "C-c C-r") #'hawser-request-changes)
    (define-key map (kbd "a") #'hawser-accept-hunk)
    (define-key map (kbd "r") #'hawser-reject-hunk)
    (define-key map (kbd "u") #'hawser-reset-hunk)
    (define-key map (kbd "c") #'hawser-add-note)
    (define-key map (kbd "C") #'hawser-remove-note)
    (define-key map (kbd "e") #'hawser-edit)
    (define-key map (kbd "E") #'hawser-ediff)
    (define-key map (kbd "n") #'diff-hunk-next)
    (define-key map (kbd "p") #'diff-hunk-prev)
    (define-key map (kbd "N") #'hawser-review)
    (define-key map (kbd "g") #'hawser-show-diff)
    map)
  "Keys in the diff of a proposal.")

(define-derived-mode hawser-diff-mode diff-mode "Proposal"
  "The diff of a change that an agent proposes.
Nothing is written before you accept it.  \\<hawser-diff-mode-map>\
\\[hawser-accept] accepts it, \\[hawser-reject] rejects it and
\\[hawser-request-changes] asks the agent for changes.  Before that,
\\[hawser-reject-hunk] leaves out a hunk, \\[hawser-add-note] writes a
note and \\[hawser-edit] edits the text.  \\[quit-window] closes the
window and leaves the proposal open.

\\{hawser-diff-mode-map}"
  (setq buffer-read-only t
        header-line-format (substitute-command-keys "\\<hawser-diff-mode-map>\
 \\[hawser-accept] accept  \\[hawser-reject] reject  \\[hawser-request-changes] ask for changes  \
hunk: \\[hawser-accept-hunk]/\\[hawser-reject-hunk]  \\[hawser-add-note] note  \
\\[hawser-edit] edit  \\[hawser-ediff] Ediff"))
  ;; The keys of a read-only diff act on files.
  (setq-local minor-mode-overriding-map-alist nil)
  (setq-local diff-font-lock-syntax nil)
  (add-hook 'kill-buffer-query-functions #'hawser--confirm-kill nil t)
  (add-hook 'kill-buffer-hook #'hawser--dismissed nil t))

(defun hawser--waiting-p ()
  "Return non-nil if the proposal of this buffer waits for a decision."
  (and (memq hawser--proposal hawser--proposals)
       (not (hawser--proposal-state hawser--proposal))
       (hawser--running-p)))

(defun hawser--confirm-kill ()
  "Ask before the diff of an open proposal is killed."
  (or (not hawser-confirm-kill)
      (not (hawser--waiting-p))
      (yes-or-no-p (format "Reject the proposal for %s? " (hawser--name hawser--proposal)))))

(defun hawser--dismissed ()
  "Reject the proposal whose diff is killed."
  (when (hawser--waiting-p)
    (hawser-reject)))

(defun hawser--sentence (proposal)
  "Return a sentence about PROPOSAL."
  (format (pcase (hawser--get proposal :effect)
            ("delete" "%s wants to delete %s")
            ("command" "%s wants to run a command in %s")
            ("noticed" "%s has changed %s; rejecting takes it back")
            ("noticedDelete" "%s has deleted %s; rejecting takes it back")
            (_ (if (eq (hawser--get proposal :isNewFile) t) "%s proposes the new file %s"
                 "%s proposes a change of %s")))
          (hawser--get proposal :agent) (hawser--name proposal)))

(defun hawser--remarks (proposal)
  "Return what the user should know about PROPOSAL, as a list of lines."
  (let ((set (hawser--get proposal :set))
        (previous (hawser--get proposal :previous)))
    (append
     (list (hawser--sentence proposal) (hawser--path (hawser--get proposal :uri)))
     (when set
       (list (format "File %d of %d of %s; they are written together"
                     (1+ (plist-get set :index)) (plist-get set :size) (plist-get set :title))))
     (pcase (hawser--get proposal :base)
       ("merged" '("The file has changed since; this contains both changes"))
       ("conflict" '("The file has changed since, and this undoes that change")))
     (when-let ((advice (hawser--get proposal :advice)))
       (list advice))
     (cl-loop for note across (or (plist-get previous :notes) [])
              collect (format "You asked in round %d: %s" (plist-get previous :round)
                              (plist-get note :text)))
     (when (hawser--edited-p proposal)
       '("You have edited the proposed text"))
     (when-let ((problem (hawser--proposal-problem proposal)))
       (list (format "It was not written: %s" problem)))
     (pcase (hawser--proposal-state proposal)
       ('sent '("Your decision is being carried out"))
       ('decided '("Decided; it is written when the other files are decided"))))))

(defun hawser--line-reader (buffer)
  "Return a function of FIRST and COUNT for lines of BUFFER, from 0.
Calls must ask for later and later lines."
  (let ((at 0) (position 1))
    (lambda (first count)
      (with-current-buffer buffer
        (save-excursion
          (save-restriction
            (widen)
            (goto-char position)
            (forward-line (- first at))
            (setq at first position (point))
            (cl-loop repeat count
                     until (eobp)
                     collect (buffer-substring-no-properties
                              (point) (progn (forward-line 1) (point))))))))))

(defun hawser--insert-lines (sign lines side first notes)
  "Insert LINES, each after SIGN; they are lines of SIDE from FIRST on.
NOTES on them follow."
  (cl-loop for line in lines for number from first
           do (insert (propertize (concat sign (string-remove-suffix "\n" line)
                                          (if (string-suffix-p "\n" line) "\n"
                                            "\n\\ No newline at end of file\n"))
                                  'hawser-line (cons side number)))
           (dolist (note notes)
             (let ((on (plist-get note :lines)))
               (when (and on (equal (plist-get on :side) side)
                          (= number (+ (plist-get on :first) (plist-get on :count) -1)))
                 (insert "# Note: " (plist-get note :text) "\n"))))))

(defun hawser--new-p (proposal first count)
  "Return non-nil if a hunk is new since the round before PROPOSAL.
It has COUNT lines of the proposed text from FIRST on."
  (and (not (hawser--edited-p proposal))
       (cl-some (pcase-lambda (`[,_ ,_ ,start ,number])
                  (and (<= start (+ first count)) (<= first (+ start number))))
                (plist-get (plist-get (hawser--get proposal :previous) :since) :hunks))))

(defun hawser--insert-hunks (proposal)
  "Insert the hunks of PROPOSAL as a unified diff."
  (cl-loop
   with hunks = (hawser--proposal-hunks proposal)
   with notes = (reverse (hawser--proposal-notes proposal))
   with read-old = (hawser--line-reader (hawser--proposal-old-buffer proposal))
   with read-new = (hawser--line-reader (hawser--proposal-text-buffer proposal))
   with shown = 0
   for hunk across hunks for index from 0
   for (old old-count new new-count) = (append hunk nil)
   for next = (if (< (1+ index) (length hunks)) (aref (aref hunks (1+ index)) 0) most-positive-fixnum)
   for before = (min hawser-context-lines (- old shown))
   for lead = (funcall read-old (- old before) before)
   for removed = (funcall read-old old old-count)
   for trail = (funcall read-old (+ old old-count)
                        (min hawser-context-lines (- next old old-count)))
   for added = (funcall read-new new new-count)
   for start = (point)
   for around = (+ before (length trail))
   for mark = (aref (hawser--proposal-marks proposal) index)
   do (insert (format "@@ -%d,%d +%d,%d @@%s%s\n" (1+ (- old before)) (+ around old-count)
                      (1+ (- new before)) (+ around new-count)
                      (if (equal mark "undecided") "" (concat " " mark))
                      (if (hawser--new-p proposal new new-count) " new in this round" "")))
   (hawser--insert-lines " " lead "new" (- new before) notes)
   (hawser--insert-lines "-" removed "old" old notes)
   (hawser--insert-lines "+" added "new" new notes)
   (hawser--insert-lines " " trail "new" (+ new new-count) notes)
   (put-text-property start (point) 'hawser-hunk index)
   (setq shown (+ old old-count (length trail)))))

(defun hawser--redraw (proposal)
  "Draw the diff of PROPOSAL again, if it is shown."
  (let ((buffer (hawser--proposal-diff-buffer proposal)))
    (when (buffer-live-p buffer)
      (with-current-buffer buffer
        (let ((inhibit-read-only t)
              (lines (cons (line-number-at-pos)
                           (mapcar (lambda (window)
                                     (cons window (line-number-at-pos (window-point window))))
                                   (get-buffer-window-list buffer nil t))))
              (is-command (equal (hawser--get proposal :effect) "command")))
          (erase-buffer)
          (dolist (remark (hawser--remarks proposal))
            (insert "# " (string-replace "\n" "\n# " remark) "\n"))
          (dolist (note (reverse (hawser--proposal-notes proposal)))
            (unless (plist-get note :lines)
              (insert "# Note: " (plist-get note :text) "\n")))
          (if is-command
              (insert "\n$ " (hawser--text proposal) "\n")
            (hawser--insert-hunks proposal))
          (set-buffer-modified-p nil)
          (goto-char (point-min))
          (forward-line (1- (car lines)))
          (pcase-dolist (`(,window . ,line) (cdr lines))
            (set-window-point window (save-excursion (goto-char (point-min))
                                                     (forward-line (1- line))
                                                     (point)))))))))

(defun hawser--diff-buffer (proposal)
  "Return the buffer with the diff of PROPOSAL; make it if need be."
  (unless (buffer-live-p (hawser--proposal-diff-buffer proposal))
    (with-current-buffer (generate-new-buffer (format "*hawser: %s*" (hawser--name proposal)))
      (setf (hawser--proposal-diff-buffer proposal) (current-buffer))
      (hawser-diff-mode)
      (setq hawser--proposal proposal
            default-directory (file-name-directory (hawser--path (hawser--get proposal :uri))))
      (hawser--redraw proposal)
      (goto-char (point-min))
      (ignore-errors (diff-hunk-next))))
  (hawser--proposal-diff-buffer proposal))

;;; Proposals: when and where they are shown

(defun hawser--busy-p ()
  "Return non-nil if the user is in the middle of something."
  (or (active-minibuffer-window)
      (input-pending-p)
      executing-kbd-macro
      prefix-arg
      (bound-and-true-p isearch-mode)
      (> (length (this-command-keys-vector)) 0)))

(defvar hawser--show-timer nil "The timer that shows a proposal, or nil.")

(defun hawser--show-soon ()
  "Show the next proposal as soon as the user is not busy.
Not at once: this is called while a message is read."
  (unless (or (not hawser-popup) hawser--show-timer)
    (setq hawser--show-timer (run-with-timer 0 nil #'hawser--show-now))))

(defun hawser--show-now ()
  "Show the next proposal, or wait for the end of the next command."
  (setq hawser--show-timer nil)
  (if (and (hawser--busy-p) (not noninteractive))
      (add-hook 'post-command-hook #'hawser--show-after-command)
    (when-let ((next (hawser--next)))
      (unless (cl-some #'hawser--visible-p hawser--proposals)
        (if (eq hawser-popup 'select)
            (hawser--show next)
          (hawser--display-diff next #'display-buffer '(nil (inhibit-same-window . t))))))))

(defun hawser--show-after-command ()
  "Try again to show the next proposal."
  (remove-hook 'post-command-hook #'hawser--show-after-command)
  (hawser--show-soon))

(defun hawser--next (&optional after)
  "Return the oldest proposal to decide on, behind AFTER if there is one."
  (let ((open (cl-remove-if #'hawser--proposal-state hawser--proposals)))
    (or (cadr (memq after open)) (car open))))

(defun hawser--views (proposal)
  "Return the live buffers in which the user sees PROPOSAL."
  (seq-filter #'buffer-live-p (list (hawser--proposal-diff-buffer proposal)
                                    (hawser--proposal-text-buffer proposal))))

(defun hawser--visible-p (proposal)
  "Return non-nil if PROPOSAL is on the screen."
  (cl-some (lambda (buffer) (get-buffer-window buffer t)) (hawser--views proposal)))

(defun hawser--show (proposal)
  "Show PROPOSAL in the view that the user likes, and select it."
  (if (and (eq hawser-view 'ediff)
           (equal (hawser--get proposal :effect) "edit")
           (<= (buffer-size (hawser--proposal-text-buffer proposal)) hawser-ediff-max-size))
      (hawser--start-ediff proposal)
    (hawser--display-diff proposal #'pop-to-buffer)))

(defun hawser--display-diff (proposal display &rest arguments)
  "Show the diff of PROPOSAL by DISPLAY with ARGUMENTS.
Remember what the window had before, or that there was none."
  (let* ((before (mapcar (lambda (window)
                           (list window (window-buffer window) (window-start window)
                                 (window-point window)))
                         (window-list-1 nil 'no-minibuffer t)))
         (origin (selected-window))
         (diff (hawser--diff-buffer proposal))
         (window (progn (apply display diff arguments) (get-buffer-window diff t)))
         (had (cdr (assq window before)))
         (other (and had (buffer-local-value 'hawser--proposal (car had)))))
    (unless (or (not window) (eq other proposal))
      (setf (alist-get window (hawser--proposal-windows proposal))
            (if other (alist-get window (hawser--proposal-windows other)) (cons origin had))))))

(defun hawser--restore-window (window before)
  "Let WINDOW have what it had BEFORE, or delete it if it was made.
BEFORE is a list: the window in which the user was, and a buffer with its
start and its point if there was one."
  (let ((was-selected (eq window (selected-window))))
    (pcase (cdr before)
      (`(,(and buffer (pred buffer-live-p)) ,start ,point)
       (set-window-buffer window buffer)
       (set-window-start window start t)
       (set-window-point window point))
      ((and 'nil (guard (and before (window-deletable-p window))))
       (if (eq (window-deletable-p window) 'frame) (delete-frame (window-frame window))
         (delete-window window)))
      (_ (quit-restore-window window 'bury)))
    (when (and was-selected (window-live-p (car before)))
      (select-window (car before)))))

(defun hawser-review ()
  "Go to the next proposal that waits for your decision."
  (interactive)
  (if-let ((proposal (hawser--next hawser--proposal)))
      (hawser--show proposal)
    (user-error "No proposal waits for your decision")))

(defun hawser-show-diff ()
  "Show the diff of the proposal, with what you have edited."
  (interactive)
  (let ((proposal (hawser--here)))
    (hawser--leave-ediff proposal)
    (if (eql (hawser--proposal-tick proposal) (hawser--tick proposal))
        (hawser--redraw proposal)
      (hawser--ask-hunks proposal nil (hawser--proposal-marks proposal)))
    (if (eq (current-buffer) (hawser--proposal-text-buffer proposal))
        (switch-to-buffer (hawser--diff-buffer proposal))
      (hawser--display-diff proposal #'pop-to-buffer))))

(defun hawser--hide (proposal)
  "Take PROPOSAL off the screen."
  (hawser--leave-ediff proposal)
  (dolist (buffer (hawser--views proposal))
    (dolist (window (get-buffer-window-list buffer nil t))
      (hawser--restore-window window (alist-get window (hawser--proposal-windows proposal))))))

(defun hawser--remove-views (proposal)
  "Take PROPOSAL, which has ended, off the screen and kill its buffers."
  (hawser--hide proposal)
  (dolist (buffer (cons (hawser--proposal-old-buffer proposal) (hawser--views proposal)))
    (when (buffer-live-p buffer)
      (with-current-buffer buffer (setq hawser--proposal nil))
      (kill-buffer buffer))))

;;; Proposals: editing and Ediff

(defvar hawser-text-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-c") #'hawser-accept)
    (define-key map (kbd "C-c C-k") #'hawser-reject)
    (define-key map (kbd "C-c C-r") #'hawser-request-changes)
    (define-key map (kbd "C-c C-d") #'hawser-show-diff)
    map)
  "Keys in the text of a proposal.")

(define-minor-mode hawser-text-mode
  "The text that an agent proposes, which you can edit before you accept it.
\\{hawser-text-mode-map}"
  :lighter " Proposed"
  (setq header-line-format
        (and hawser-text-mode
             (substitute-command-keys "\\<hawser-text-mode-map>\
 \\[hawser-accept] accept this text  \\[hawser-reject] reject  \\[hawser-show-diff] back to the diff")))
  (if hawser-text-mode
      (add-hook 'kill-buffer-query-functions #'hawser--refuse-kill nil t)
    (remove-hook 'kill-buffer-query-functions #'hawser--refuse-kill t)))

(defun hawser--refuse-kill ()
  "Keep the text of an open proposal: its diff needs it."
  (or (not (memq hawser--proposal hawser--proposals))
      (progn (message "C-c C-k rejects the proposal, C-c C-d goes back to its diff") nil)))

(defun hawser--set-mode (proposal name)
  "Show this buffer as the file of PROPOSAL is shown, and call it NAME.
The mode goes by the name alone: what an agent writes into the text must
not choose code to run."
  (rename-buffer (format name (hawser--name proposal)) t)
  (let ((buffer-file-name (hawser--path (hawser--get proposal :uri)))
        (enable-local-variables nil))
    (delay-mode-hooks (ignore-errors (set-auto-mode)))))

(defun hawser--editable (proposal)
  "Return the buffer with the text of PROPOSAL, ready to be edited."
  (unless (equal (hawser--get proposal :effect) "edit")
    (user-error "There is no text to edit"))
  (with-current-buffer (hawser--proposal-text-buffer proposal)
    (unless hawser-text-mode
      (buffer-enable-undo)
      (hawser--set-mode proposal "*hawser text: %s*")
      (hawser-text-mode)
      (setq hawser--proposal proposal))
    (current-buffer)))

(defun hawser-edit ()
  "Edit the proposed text."
  (interactive)
  (let* ((proposal (hawser--here))
         (line (get-text-property (line-beginning-position) 'hawser-line)))
    (switch-to-buffer (hawser--editable proposal))
    (when (equal (car line) "new")
      (goto-char (point-min))
      (forward-line (cdr line)))))

(defun hawser-ediff ()
  "Compare the file and the proposed text in Ediff.
There, \\<hawser-text-mode-map>`a' takes a change back, `\\[hawser-accept]' accepts the text as it is then,
`\\[hawser-reject]' rejects the proposal, and `\\[hawser-show-diff]' goes back to the diff."
  (interactive)
  (hawser--start-ediff (hawser--here)))

(defun hawser--start-ediff (proposal)
  "Show PROPOSAL in Ediff, and remember the windows."
  (require 'ediff)
  (if (buffer-live-p (hawser--proposal-ediff-buffer proposal))
      (pop-to-buffer (hawser--proposal-ediff-buffer proposal))
    (setf (hawser--proposal-configuration proposal) (current-window-configuration))
    (with-current-buffer (hawser--proposal-old-buffer proposal)
      (hawser--set-mode proposal "*hawser file: %s*")
      (setq buffer-read-only t))
    (let ((ediff-window-setup-function #'ediff-setup-windows-plain)
          (ediff-split-window-function #'split-window-horizontally))
      (ediff-buffers
       (hawser--proposal-old-buffer proposal) (hawser--editable proposal)
       (list (lambda ()
               (setf (hawser--proposal-ediff-buffer proposal) (current-buffer))
               (setq hawser--proposal proposal)
               (use-local-map (make-composed-keymap hawser-text-mode-map (current-local-map)))
               (setq-local ediff-window-setup-function #'ediff-setup-windows-plain)
               (add-hook 'ediff-quit-hook (lambda () (hawser--ediff-ended proposal)) 90 t)))))))

(defun hawser--ediff-ended (proposal)
  "Restore the windows as they were before PROPOSAL was shown in Ediff."
  (setf (hawser--proposal-ediff-buffer proposal) nil)
  (when-let ((configuration (hawser--proposal-configuration proposal)))
    (setf (hawser--proposal-configuration proposal) nil)
    (set-window-configuration configuration)))

(defun hawser--leave-ediff (proposal)
  "End Ediff of PROPOSAL, if there is one."
  (let ((control (hawser--proposal-ediff-buffer proposal)))
    (when (buffer-live-p control)
      (with-current-buffer control
        (let ((ediff-keep-variants t))
          (ediff-really-quit nil))))))

;;; Agents

(defun hawser-agent (agent)
  "Start AGENT in a terminal, connected to this Emacs."
  (interactive (list (completing-read "Agent: " hawser-agents nil nil nil nil (car hawser-agents))))
  (hawser--check-running)
  (let* ((default-directory (file-name-as-directory hawser--folder))
         (command (append (seq-take-while (lambda (word) (not (equal word "editor"))) hawser-command)
                          (list "run" agent)))
         (name (format "hawser %s" agent))
         (process-environment
          (append (cl-loop for (key value) on (plist-get hawser--status :environment) by #'cddr
                           collect (format "%s=%s" (substring (symbol-name key) 1) value))
                  process-environment)))
    (pcase (or hawser-terminal
               (cond ((fboundp 'vterm) 'vterm) ((fboundp 'eat-make) 'eat)))
      ('vterm (let ((vterm-shell (combine-and-quote-strings command)))
                (vterm (format "*%s*" name))))
      ('eat (pop-to-buffer (apply #'eat-make name (car command) nil (cdr command))))
      (_ (require 'term)
         (pop-to-buffer (apply #'make-term name (car command) nil (cdr command)))
         (term-char-mode)))))

;;; Start and end

(defun hawser-project-folder ()
  "Return the root of the current project, or the current folder."
  (if-let ((project (project-current)))
      (project-root project)
    default-directory))

(defun hawser--capabilities ()
  "Return what this client can do."
  (append (list :showDocument t :documents t :save t :close t :diagnostics t
                :writeText t :reload t
                :language (cl-loop for (method) in hawser--language-methods
                                   vconcat (vector (symbol-name method)))
                :textFiles hawser--max-message-text
                :proposals '(:rounds t
                             :effects ["edit" "delete" "command" "noticed" "noticedDelete"]))
          (and hawser--test-requests (list :test (vconcat hawser--test-requests)))))

(defclass hawser--bridge (jsonrpc-process-connection) ()
  :documentation "The connection to the bridge.")

(cl-defmethod jsonrpc-connection-send :around ((connection hawser--bridge)
                                               &key id result &allow-other-keys)
  "Send a message on CONNECTION.  If RESULT is a function, it answers ID later.
It is called with a function that takes `:result' or `:error', and the
value."
  (if (functionp result)
      (funcall result (lambda (kind value)
                        (when (jsonrpc-running-p connection)
                          (jsonrpc-connection-send connection :id id kind value))))
    (cl-call-next-method)))

(defun hawser--echo ()
  "Echo the keys of an unfinished sequence, as Emacs does.
Emacs no longer does once a process has sent something."
  (when (and (not this-command) (> (length (this-single-command-keys)) 0)
             (not (current-message))
             (numberp echo-keystrokes) (> echo-keystrokes 0))
    (let ((message-log-max nil))
      (message "%s-" (key-description (this-single-command-keys))))))

(defun hawser--start ()
  "Start the bridge and tell it what there is."
  (unless hawser--echo-timer
    (setq hawser--echo-timer
          (run-with-idle-timer (if (numberp echo-keystrokes) (max echo-keystrokes 1) 1) t #'hawser--echo)))
  (setq hawser--sent nil
        hawser--status nil
        hawser--folder (directory-file-name (expand-file-name (funcall hawser-folder-function)))
        hawser--connection
        (hawser--bridge
         :name "hawser"
         :events-buffer-scrollback-size 0 ; would print every text
         :process (lambda ()
                    (make-process :name "hawser"
                                  :command hawser-command
                                  :connection-type 'pipe
                                  :coding 'utf-8-emacs-unix
                                  :noquery t
                                  :stderr (get-buffer-create "*hawser stderr*")))
         :request-dispatcher #'hawser--answer
         :notification-dispatcher #'hawser--heed
         :on-shutdown #'hawser--ended))
  (jsonrpc-async-request
   hawser--connection :initialize
   (list :protocolVersion 1
         :processId (emacs-pid)
         :clientInfo (list :name "Emacs" :version emacs-version)
         :workspaceFolders (hawser--workspace-folders)
         :capabilities (hawser--capabilities))
   :timeout 30
   :success-fn (lambda (_result)
                 (hawser--notify :initialized nil)
                 (hawser--send-state))
   :error-fn (lambda (problem)
               (hawser--show-error problem)
               (hawser-mode -1))
   :timeout-fn (lambda ()
                 (hawser--say "the bridge does not answer")
                 (hawser-mode -1))))

(defun hawser--ended (connection)
  "Turn the mode off if CONNECTION was the one to the bridge."
  (when (eq connection hawser--connection)
    (hawser--say "the bridge has ended; its messages are in *hawser stderr*")
    (hawser-mode -1)))

(defun hawser--stop ()
  "End the bridge and close what it has shown.  Edited texts are kept."
  (when hawser--echo-timer
    (cancel-timer hawser--echo-timer)
    (setq hawser--echo-timer nil))
  (let ((connection hawser--connection)
        (proposals hawser--proposals))
    (setq hawser--connection nil
          hawser--proposals nil
          hawser--status nil)
    (dolist (proposal proposals)
      (when (hawser--edited-p proposal)
        (hawser--keep-text proposal))
      (hawser--remove-views proposal))
    (when (and connection (jsonrpc-running-p connection))
      (jsonrpc-notify connection :exit nil)
      (process-send-eof (jsonrpc--process connection)))))

(defun hawser--lighter ()
  "Return the text for the mode line."
  (let ((open (length hawser--proposals)))
    (concat " Hawser"
            (cond ((hawser--paused-p) ":paused")
                  ((> open 0) (propertize (format ":%d" open) 'face 'warning
                                          'help-echo "M-x hawser-review shows the next proposal"))))))

(defvar hawser-mode-map (make-sparse-keymap) "Keys of `hawser-mode'; there are none.")

(easy-menu-define hawser-menu hawser-mode-map
  "Menu of `hawser-mode'."
  '("Hawser"
    ["Review the next proposal" hawser-review :active hawser--proposals]
    ["Start an agent..." hawser-agent]
    ["Mention the region or file" hawser-mention :active buffer-file-name]
    ["Review in the browser" hawser-review-in-browser]
    ["Pause" hawser-pause :style toggle :selected (hawser--paused-p)]
    ["Change the folder..." hawser-change-folder]
    ["Stop" hawser-mode]))

;;;###autoload
(define-minor-mode hawser-mode
  "Show coding agents what you see, and review their edits.
\\<hawser-mode-map>The mode line counts the proposals that wait for your
decision; \\[hawser-review] shows the next one."
  :global t
  :lighter (:eval (hawser--lighter))
  (when hawser--timer
    (cancel-timer hawser--timer)
    (setq hawser--timer nil))
  (remove-hook 'after-save-hook #'hawser--saved)
  (remove-hook 'flycheck-after-syntax-check-hook #'hawser--send-diagnostics)
  (advice-remove 'flymake--handle-report #'hawser--send-diagnostics)
  (hawser--stop)
  (when hawser-mode
    (condition-case problem
        (hawser--start)
      (error (setq hawser-mode nil)
             (user-error "Hawser can't start: %s" (error-message-string problem))))
    (add-hook 'after-save-hook #'hawser--saved)
    (add-hook 'flycheck-after-syntax-check-hook #'hawser--send-diagnostics)
    ;; Flymake has no hook for new results.  It may be loaded later.
    (advice-add 'flymake--handle-report :after #'hawser--send-diagnostics)
    (setq hawser--timer (run-with-idle-timer hawser-selection-delay t #'hawser--send-state))))

(provide 'hawser)
;;; hawser.el ends here
