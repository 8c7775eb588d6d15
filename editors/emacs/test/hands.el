;;; hands.el --- The hands of a user, for the conformance kit  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; packages/bridge/src/editor-kit/emacs.test.ts runs the kit on this file.
;; Each request acts through the commands that a user calls.  There is no
;; command loop in batch, so what an idle timer does is called here.

;;; Code:

(require 'hawser)
(require 'flymake)

(setq hawser-confirm-kill nil
      hawser--test-requests '("test/type" "test/select" "test/mention" "test/folder" "test/report"
                              "test/shown" "test/says" "test/decide" "test/dismiss"))

(defun hands--find (params)
  "Return the open proposal that PARAMS name."
  (or (hawser--find (plist-get params :id)) (hawser--fail "No such proposal")))

(cl-defmethod hawser--handle ((_method (eql 'test/type)) params)
  "Make the text of PARAMS the unsaved text of a document."
  (with-current-buffer (hawser--open-buffer (plist-get params :uri))
    (let ((text (plist-get params :text))
          (inhibit-read-only t))
      (setq buffer-file-coding-system (hawser--coding-for text))
      (erase-buffer)
      (insert (string-replace "\r\n" "\n" text))))
  (hawser--send-state)
  nil)

(cl-defmethod hawser--handle ((_method (eql 'test/select)) params)
  "Select the range of PARAMS."
  (switch-to-buffer (hawser--open-buffer (plist-get params :uri)))
  (hawser--select (plist-get params :range))
  (hawser--send-state)
  nil)

(cl-defmethod hawser--handle ((_method (eql 'test/mention)) params)
  "Mention the file or lines of PARAMS."
  (with-current-buffer (hawser--open-buffer (plist-get params :uri))
    (deactivate-mark)
    (when-let ((range (plist-get params :range)))
      (hawser--select range))
    (hawser-mention))
  nil)

(cl-defmethod hawser--handle ((_method (eql 'test/folder)) params)
  "Change to the folder of PARAMS."
  (hawser-change-folder (plist-get params :path))
  nil)

(cl-defmethod hawser--handle ((_method (eql 'test/report)) params)
  "Make Flymake find the diagnostic of PARAMS."
  (with-current-buffer (hawser--open-buffer (plist-get params :uri))
    (let* ((diagnostic (plist-get params :diagnostic))
           (range (plist-get diagnostic :range))
           (position (lambda (end) (save-excursion (hawser--goto (plist-get range end)) (point))))
           (found (flymake-make-diagnostic
                   (current-buffer) (funcall position :start) (funcall position :end)
                   (aref [nil :error :warning :note :note] (plist-get diagnostic :severity))
                   (plist-get diagnostic :message))))
      (setq-local flymake-diagnostic-functions
                  (list (lambda (report &rest _) (funcall report (list found)))))
      (flymake-mode 1)
      (flymake-start)))
  nil)

(cl-defmethod hawser--handle ((_method (eql 'test/shown)) params)
  "Return whether the proposal of PARAMS is in a window."
  (let ((proposal (hawser--find (plist-get params :id))))
    (list :isShown (hawser--json-boolean (and proposal (hawser--visible-p proposal))))))

(cl-defmethod hawser--handle ((_method (eql 'test/says)) params)
  "Return whether the words of PARAMS are in the diff of the proposal."
  (let ((proposal (hawser--find (plist-get params :id))))
    (list :isSaid
          (hawser--json-boolean
           (and proposal
                (with-current-buffer (hawser--diff-buffer proposal)
                  (string-search (plist-get params :words) (buffer-string))))))))

(cl-defmethod hawser--handle ((_method (eql 'test/decide)) params)
  "Decide as PARAMS say, with the commands of the diff."
  (let* ((proposal (hands--find params))
         (decision (plist-get params :decision))
         (text (plist-get decision :text)))
    (with-current-buffer (hawser--diff-buffer proposal)
      (goto-char (point-min))
      (cl-loop for mark across (or (plist-get decision :marks) [])
               do (diff-hunk-next)
               (hawser--mark-hunk mark))
      (dolist (note (append (plist-get decision :notes) nil))
        (goto-char (point-min))
        (when-let ((lines (plist-get note :lines)))
          (text-property-search-forward
           'hawser-line (cons (plist-get lines :side) (plist-get lines :first)) #'equal)
          (forward-line -1))
        (hawser-add-note (plist-get note :text)))
      (when (and text (not (equal text (hawser--text proposal))))
        (with-current-buffer (hawser--editable proposal)
          (erase-buffer)
          (insert text)))
      (pcase (plist-get decision :kind)
        ("accepted" (hawser-accept))
        ("rejected" (hawser-reject))
        ("changesRequested" (hawser-request-changes)))))
  nil)

(cl-defmethod hawser--handle ((_method (eql 'test/dismiss)) params)
  "Kill the diff of the proposal of PARAMS."
  (kill-buffer (hawser--diff-buffer (hands--find params)))
  nil)

(hawser-mode)
(while hawser-mode
  (accept-process-output nil 10))
;; The bridge has ended; Emacs goes on, as it does for a user.
(while t
  (sleep-for 10))

;;; hands.el ends here
