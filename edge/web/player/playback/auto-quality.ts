/** Stands for the choice of a quality by the engine, where an id of a quality is expected. */
export const AUTO_QUALITY = -1
