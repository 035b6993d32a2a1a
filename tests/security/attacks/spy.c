/* A library that notes, in the file SPY_NOTES names, as whom and with which rights it was loaded. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void note(void) {
  char status[8192] = {0}, line[256];
  int in = open("/proc/self/status", O_RDONLY);
  if (in < 0 || read(in, status, sizeof status - 1) <= 0) return;
  close(in);
  const char *rights = strstr(status, "CapEff:\t");
  int length = snprintf(line, sizeof line, "uid=%d rights=%.16s\n", geteuid(), rights ? rights + 8 : "?");
  int out = open(getenv("SPY_NOTES"), O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (out >= 0 && write(out, line, length) > 0) close(out);
}
