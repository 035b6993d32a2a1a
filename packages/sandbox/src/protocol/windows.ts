/**
 * How much HTTP/2 lets the supervisor have under way to the host: the default of 64 KiB is an eighth of what a local
 * socket can do. The other direction keeps the default. Node stops reading while a write of its own is pending, so
 * with large windows both ways the two ends wait for each other for ever; 64 KiB always fit the socket's buffer.
 */
export const streamWindow = 1024 * 1024;
export const sessionWindow = 8 * 1024 * 1024;
