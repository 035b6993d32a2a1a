/** The longest time that a timer of Node's can wait; with more it would not wait at all. */
export const longestTimer = 2 ** 31 - 1;
