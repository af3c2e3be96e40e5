/* The least that a command can cost, as a process of its own.
 *   floor read FILE           reads the file
 *   floor splice FILE         changes one line of it as safely as bd: read, write beside it, fsync, rename, fsync the directory
 *   floor peak PROGRAM ARG... runs a program without its output and prints its peak memory in kB; its exit code is ours
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libgen.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void check(int ok, const char *what) {
    if (!ok) { perror(what); exit(1); }
}

static char *read_all(const char *path, size_t *size) {
    int fd = open(path, O_RDONLY);
    check(fd >= 0, path);
    struct stat st;
    check(fstat(fd, &st) == 0, path);
    char *bytes = malloc((size_t)st.st_size + 1);
    check(bytes != NULL, "malloc");
    *size = 0;
    for (;;) {
        ssize_t got = read(fd, bytes + *size, (size_t)st.st_size - *size);
        check(got >= 0, path);
        if (got == 0) break;
        *size += (size_t)got;
    }
    close(fd);
    bytes[*size] = 0;
    return bytes;
}

static void write_all(int fd, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t put = write(fd, bytes, size);
        check(put > 0, "write");
        bytes += put;
        size -= (size_t)put;
    }
}

static int splice_line(const char *path) {
    size_t size;
    char *bytes = read_all(path, &size);
    char *line = memchr(bytes + size / 2, '\n', size - size / 2);
    char *at = line ? strstr(line, "\"title\":\"") : NULL;
    size_t keep = at ? (size_t)(at - bytes) + 9 : size;
    char temp[4096];
    snprintf(temp, sizeof temp, "%s.floor", path);
    int fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    check(fd >= 0, temp);
    write_all(fd, bytes, keep);
    write_all(fd, "x ", at ? 2 : 0);
    write_all(fd, bytes + keep, size - keep);
    check(fsync(fd) == 0, temp);
    close(fd);
    check(rename(temp, path) == 0, path);
    char *copy = strdup(path);
    int dir = open(dirname(copy), O_RDONLY | O_DIRECTORY);
    check(dir >= 0 && fsync(dir) == 0, "directory");
    return 0;
}

static int peak(char **command) {
    pid_t child = fork();
    check(child >= 0, "fork");
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0); dup2(null, 1); dup2(null, 2);
        execv(command[0], command);
        _exit(127);
    }
    int status;
    struct rusage usage;
    check(wait4(child, &status, 0, &usage) == child, "wait4");
    printf("%ld\n", usage.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int main(int argc, char **argv) {
    size_t size;
    if (argc == 3 && strcmp(argv[1], "read") == 0) return read_all(argv[2], &size) == NULL;
    if (argc == 3 && strcmp(argv[1], "splice") == 0) return splice_line(argv[2]);
    if (argc > 2 && strcmp(argv[1], "peak") == 0) return peak(argv + 2);
    return 2;
}
