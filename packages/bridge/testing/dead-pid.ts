/** More than Linux gives to a process. That of a process which has ended can be another one's by now. */
export const DEAD_PID = 2 ** 22 + 1;
