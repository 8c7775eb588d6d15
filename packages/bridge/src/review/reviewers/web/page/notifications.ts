const STORAGE_KEY = 'notifications';

/** Whether the user wants to be told of changes while another window is in front. */
export function wantsNotifications(): boolean {
  return canNotify() && localStorage.getItem(STORAGE_KEY) === 'on' && Notification.permission === 'granted';
}

/** False where the browser has none, for example without encryption on another machine. */
export function canNotify(): boolean {
  return 'Notification' in globalThis && isSecureContext;
}

/** Asks the browser, if it does not know yet: call it upon a click. Resolves to whether the user will be told. */
export async function setNotifications(wish: 'on' | 'off'): Promise<boolean> {
  localStorage.setItem(STORAGE_KEY, wish);
  if (wish === 'on' && Notification.permission === 'default') await Notification.requestPermission();
  return wantsNotifications();
}

/** Says who wants to change which file, and nothing of its text. */
export function notify(agent: string, name: string): void {
  if (!wantsNotifications() || (document.visibilityState === 'visible' && document.hasFocus())) return;
  const notification = notificationOf('A change waits for you', { body: `${name}, proposed by ${agent}`, tag: name });
  notification?.addEventListener('click', () => {
    focus();
    notification.close();
  });
}

/** Browsers on phones have the permission, but let only service workers show notifications. */
function notificationOf(title: string, options: NotificationOptions): Notification | undefined {
  try {
    return new Notification(title, options);
  } catch {
    return undefined;
  }
}
