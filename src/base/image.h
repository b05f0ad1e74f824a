/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The memory of a run in a file, with which another process of the same program goes on. Between
 * hs_image_begin() and the end of the process all blocks of base/memory.h lie at addresses that are
 * the same in every process, and so does the program, which is not position-independent: pointers
 * between blocks, to functions and to constants stay valid. What lies outside is linked again: open
 * files are parts, which re-open themselves; the caller keeps no pointer to its stack in the image,
 * but in the root, which it sets anew.
 *
 *     if (!hs_image_begin()) ...                                  // before the run is set up
 *     *hs_image_root() = run;
 *     HS_TRY(hs_image_write(path, &head, diag));                  // at any time between two events
 *
 *     HS_TRY(hs_image_read(path, &want, NULL, &head, diag));      // another process
 *     run = *hs_image_root(); ... link it again ...
 *     HS_TRY(hs_image_enter(diag));                               // its files
 */
#pragma once

#include <stdbool.h>

#include "base/diag.h"

/* An open file of the image. Blocks outside it have none: the calls do nothing then. */
struct hs_image_part {
    struct hs_image_part *next;
    void *owner;
    char **path;    /* of a file that the run writes, in a block of its own; NULL: it only reads */
    uint64_t bytes; /* of that file; set by leave */
    /* Before the memory is written: all bytes are on the disk. After it was read: open again. */
    enum hs_status (*leave)(void *owner, struct hs_diag *diag);
    enum hs_status (*enter)(void *owner, struct hs_diag *diag);
};

/* part is a member of owner, and not copied while it is in the list. */
void hs_image_add(struct hs_image_part *part, void *owner, char **path,
                  enum hs_status (*leave)(void *owner, struct hs_diag *diag),
                  enum hs_status (*enter)(void *owner, struct hs_diag *diag));
void hs_image_remove(struct hs_image_part *part);

#define HS_IMAGE_NAME_MAX 511u

/* What a file says of its image. */
struct hs_image_head {
    uint64_t program;                 /* hash of its file: another build has other addresses */
    int64_t time_us;                  /* of the simulation */
    bool has_files;                   /* those that the run writes are in the image's file, too */
    char name[HS_IMAGE_NAME_MAX + 1]; /* of the run */
};

/* The file is complete or absent, and on the disk. Compressed if path ends in ".gz" or ".zst". */
HS_MUST_USE enum hs_status hs_image_write(const char *path, const struct hs_image_head *head,
                                          struct hs_diag *diag);
/* Refuses (HS_E_INPUT) a file that is damaged, of another program, or of a run with another name
 * ("": any) than `want`, or that has files where `want` has none, or none: they are written to
 * the directory `into`. The image must not have begun; after a failure the process ends. */
HS_MUST_USE enum hs_status hs_image_read(const char *path, const struct hs_image_head *want,
                                         const char *into, struct hs_image_head *head,
                                         struct hs_diag *diag);
/* Tells whether the file begins as one that hs_image_write wrote. */
bool hs_image_is_file(const char *path, struct hs_diag *diag);
/* Opens the files of an image that was read. */
HS_MUST_USE enum hs_status hs_image_enter(struct hs_diag *diag);

/* ---- the memory (base/memory.c) ---- */

/* From now on blocks are of the image; false if its addresses are not free. */
bool hs_image_begin(void);
/* While paused new blocks are not of the image. */
void hs_image_pause(bool is_paused);
bool hs_image_holds(const void *memory);
/* The image so far. */
const void *hs_image_bytes(uint64_t *bytes);
/* The place of an image to be read, NULL if its addresses are not free; then, when it was read. */
void *hs_image_map(uint64_t bytes);
void hs_image_adopt(uint64_t bytes);
void **hs_image_root(void); /* set by the caller */
struct hs_image_part **hs_image_parts(void);
