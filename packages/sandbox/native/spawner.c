/*
 * The spawner starts commands for the supervisor. To fork a process of Node's size and to link setpriv costs more than
 * most commands do; this one is small, static, and stays.
 *
 * It is a child of the supervisor's, with the supervisor's rights. Its only input is a socket on descriptor 3, of which
 * the supervisor has the other end, and when that one closes it ends. It reads no environment, no file, and no path but
 * those it is asked for. Whatever it does not understand ends it: the supervisor then starts commands without it.
 *
 * Requests are a head and a body; answers are four numbers. The other side of this is ../src/supervisor/spawner.ts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { version = 1, channel = 3 };

/* The kernel takes less than this for arguments and environment together. */
enum { max_body = 8 * 1024 * 1024, max_strings = 1 << 20, max_pipes = 512 };

/* Of commands. It counts among the processes of one sandbox only, and there the supervisor comes first. */
enum { niceness = 10 };

/* Exit statuses of what could not be started, as of setpriv and the shell. */
enum { exit_ours = 125, exit_not_executable = 126, exit_not_found = 127 };

enum request_type { ask_pipe = 1, ask_spawn = 2, ask_kill = 3 };
enum answer_type { is_ready = 1, is_pipe = 2, is_started = 3, is_failed = 4, is_exited = 5 };

struct head {
  uint32_t type;
  uint32_t id; /* comes back with the answer: the number of a pipe or of a start; of ask_kill, the process */
  uint32_t length;
};

struct answer {
  uint32_t type;
  uint32_t id;
  uint32_t first;
  uint32_t second;
};

/* Followed by strings, each ended by a zero byte: the folder, the arguments, the environment. */
struct spawn {
  uint32_t uid;
  uint32_t gid;
  uint32_t marker;
  uint32_t empty_bounding_set;
  uint32_t stdio[3]; /* the number of a pipe, or no_pipe for /dev/null */
  uint32_t arguments;
  uint32_t variables;
};

static const uint32_t no_pipe = UINT32_MAX;

/* A pipe made ahead. The supervisor opens its end by way of /proc; both are closed here once a command has one. */
struct pipe_ends {
  uint32_t number; /* of the supervisor's choice; no_pipe where there is none */
  int ends[2];
};

static struct pipe_ends pipes[max_pipes];
static sigset_t usual_signals;

static void serve(void);
static void reap(void);
static void make_pipe(uint32_t number);
static struct pipe_ends *find_pipe(uint32_t number);
static void send_signal(const struct head *head, const char *body);
static void start_command(uint32_t id, char *body, uint32_t length);
static void become_command(const struct spawn *spawn, struct pipe_ends *const stdio[3], const char *folder,
                           char **arguments, char **variables);
static void give_up_rights(const struct spawn *spawn);

static void no_op(int signal) { (void)signal; }

static void answer(uint32_t type, uint32_t id, uint32_t first, uint32_t second) {
  struct answer message = {type, id, first, second};
  const char *rest = (const char *)&message;
  size_t left = sizeof message;
  while (left > 0) {
    ssize_t written = write(channel, rest, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(0);
    rest += written;
    left -= (size_t)written;
  }
}

/* Ends with the supervisor: nobody else can ask for anything. */
static void take(void *buffer, size_t length) {
  char *rest = buffer;
  while (length > 0) {
    ssize_t got = read(channel, rest, length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) _exit(0);
    rest += got;
    length -= (size_t)got;
  }
}

int main(void) {
  /* The end of a child is noticed only while we wait, so that nothing here is ever interrupted. */
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_ended, &usual_signals);
  struct sigaction wake = {.sa_handler = no_op};
  sigaction(SIGCHLD, &wake, NULL);
  for (int index = 0; index < max_pipes; index += 1) pipes[index].number = no_pipe;
  if (fcntl(channel, F_SETFD, FD_CLOEXEC) < 0) return exit_ours;
  answer(is_ready, version, 0, 0);
  struct pollfd wait = {.fd = channel, .events = POLLIN};
  for (;;) {
    reap();
    if (ppoll(&wait, 1, NULL, &usual_signals) > 0) serve();
  }
}

static void serve(void) {
  struct head head;
  take(&head, sizeof head);
  if (head.length > max_body) _exit(exit_ours);
  char *body = malloc(head.length + 1);
  if (!body) _exit(exit_ours);
  take(body, head.length);
  body[head.length] = 0;
  if (head.type == ask_pipe) make_pipe(head.id);
  else if (head.type == ask_spawn) start_command(head.id, body, head.length);
  else if (head.type == ask_kill && head.length == sizeof(uint32_t)) send_signal(&head, body);
  else _exit(exit_ours);
  free(body);
}

static void reap(void) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    uint32_t signal = WIFSIGNALED(status) ? (uint32_t)WTERMSIG(status) : 0;
    answer(is_exited, (uint32_t)pid, signal ? 0 : (uint32_t)WEXITSTATUS(status), signal);
  }
}

/* Anybody who has it may open it again, through /proc and under the name of /dev/stdin, whatever uid the command has. */
static void make_pipe(uint32_t number) {
  if (number == no_pipe || find_pipe(number)) _exit(exit_ours);
  struct pipe_ends *made = find_pipe(no_pipe);
  if (!made) return answer(is_failed, number, EMFILE, 0);
  if (pipe2(made->ends, O_CLOEXEC) < 0) return answer(is_failed, number, (uint32_t)errno, 0);
  fchmod(made->ends[0], 0666);
  made->number = number;
  answer(is_pipe, number, (uint32_t)made->ends[0], (uint32_t)made->ends[1]);
}

static struct pipe_ends *find_pipe(uint32_t number) {
  for (int index = 0; index < max_pipes; index += 1)
    if (pipes[index].number == number) return &pipes[index];
  return NULL;
}

static void drop_pipe(struct pipe_ends *dropped) {
  close(dropped->ends[0]);
  close(dropped->ends[1]);
  dropped->number = no_pipe;
}

/* Only to a child that was not reaped: a number that is free again may be another process by now. */
static void send_signal(const struct head *head, const char *body) {
  uint32_t signal;
  memcpy(&signal, body, sizeof signal);
  siginfo_t info;
  if (waitid(P_PID, head->id, &info, WEXITED | WNOHANG | WNOWAIT) == 0) kill((pid_t)head->id, (int)signal);
}

/* The next string of the body, or the end of us where there is none. */
static char *next_string(char **rest, const char *end) {
  char *string = *rest;
  if (string >= end) _exit(exit_ours);
  *rest += strlen(string) + 1;
  return string;
}

static char **next_strings(char **rest, const char *end, uint32_t count) {
  if (count > max_strings) _exit(exit_ours);
  char **list = calloc((size_t)count + 1, sizeof *list);
  if (!list) _exit(exit_ours);
  for (uint32_t index = 0; index < count; index += 1) list[index] = next_string(rest, end);
  return list;
}

static void start_command(uint32_t id, char *body, uint32_t length) {
  struct spawn spawn;
  if (length < sizeof spawn) _exit(exit_ours);
  memcpy(&spawn, body, sizeof spawn);
  struct pipe_ends *stdio[3] = {NULL, NULL, NULL};
  for (int index = 0; index < 3; index += 1) {
    if (spawn.stdio[index] == no_pipe) continue;
    stdio[index] = find_pipe(spawn.stdio[index]);
    if (!stdio[index]) _exit(exit_ours);
  }
  /* The body is followed by a zero byte of ours, so that no string runs beyond it. */
  char *rest = body + sizeof spawn;
  const char *end = body + length;
  const char *folder = next_string(&rest, end);
  char **arguments = next_strings(&rest, end, spawn.arguments);
  char **variables = next_strings(&rest, end, spawn.variables);
  if (spawn.arguments == 0 || rest != end) _exit(exit_ours);

  /* Not vfork: the rights of a command must not be looked at in memory that is ours too, nor may its start block us. */
  pid_t pid = fork();
  if (pid == 0) become_command(&spawn, stdio, folder, arguments, variables);
  int why = errno;
  for (int index = 0; index < 3; index += 1)
    if (stdio[index]) drop_pipe(stdio[index]);
  if (pid < 0) answer(is_failed, id, (uint32_t)why, 0);
  else answer(is_started, id, (uint32_t)pid, 0);
  free(arguments);
  free(variables);
}

/* Said to whoever reads the command's stderr. */
static void refuse(int status, const char *what, const char *of) {
  dprintf(2, "opentiger: cannot %s %s: %s\n", what, of, strerror(errno));
  _exit(status);
}

static void become_command(const struct spawn *spawn, struct pipe_ends *const stdio[3], const char *folder,
                           char **arguments, char **variables) {
  sigprocmask(SIG_SETMASK, &usual_signals, NULL);
  setsid();
  for (int index = 0; index < 3; index += 1) {
    int end = stdio[index] ? stdio[index]->ends[index > 0] : open("/dev/null", O_RDWR | O_CLOEXEC);
    if (end < 0 || dup2(end, index) < 0) _exit(exit_ours);
  }
  /* Pipes of other commands would stay open for as long as it takes to start this one. */
  for (int index = 0; index < max_pipes; index += 1)
    if (pipes[index].number != no_pipe) drop_pipe(&pipes[index]);

  /* The kernel's first choice when memory runs out; where we may not say so the command starts all the same. */
  int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) (void)!write(score, "1000", 4);

  (void)setpriority(PRIO_PROCESS, 0, niceness);

  /* We have no right to pass over file modes: a folder that only the agent may enter is entered by the agent. */
  int entered = chdir(folder) == 0;
  give_up_rights(spawn);
  if (!entered && chdir(folder) < 0) refuse(exit_ours, "enter", folder);

  environ = variables;
  execvp(arguments[0], arguments);
  refuse(errno == ENOENT ? exit_not_found : exit_not_executable, "execute", arguments[0]);
}

/* What `setpriv --reuid --regid --groups --inh-caps=-all --ambient-caps=-all --no-new-privs` does, or the command's end. */
static void give_up_rights(const struct spawn *spawn) {
  const char *command = "a command's rights";
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) refuse(exit_ours, "limit", command);
  if (spawn->empty_bounding_set) {
    for (unsigned long right = 0; prctl(PR_CAPBSET_READ, right, 0, 0, 0) >= 0; right += 1)
      if (prctl(PR_CAPBSET_DROP, right, 0, 0, 0) < 0) refuse(exit_ours, "limit", command);
  }
  gid_t groups[] = {spawn->gid, spawn->marker};
  if (setgroups(2, groups) < 0) refuse(exit_ours, "mark", "a command");
  if (setresgid(spawn->gid, spawn->gid, spawn->gid) < 0) refuse(exit_ours, "change", command);
  if (setresuid(spawn->uid, spawn->uid, spawn->uid) < 0) refuse(exit_ours, "change", command);
  /* EINVAL: a kernel without ambient rights has none to take. */
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 && errno != EINVAL)
    refuse(exit_ours, "take", command);
  /* What else there was went with the uid, or goes with the bounding set when the command is executed. */
  struct __user_cap_header_struct own = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct kept[2];
  if (syscall(SYS_capget, &own, kept) < 0) refuse(exit_ours, "look at", command);
  kept[0].inheritable = kept[1].inheritable = 0;
  if (syscall(SYS_capset, &own, kept) < 0) refuse(exit_ours, "take", command);
}
