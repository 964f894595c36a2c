/** The id of automatic quality selection. */
export const AUTO_QUALITY = -1
