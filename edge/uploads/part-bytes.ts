/**
 * All parts of an upload but the last must have one size, at least 5 MiB. This is that least one, since every upload
 * holds two of them in memory; and chunks of 50 MiB, which clients are advised to send, are ten whole ones.
 */
export const PART_BYTES = 5 * 1024 ** 2
