/** Returns the key of the SRT file beside a WebVTT file. */
export const srtKey = (subtitlesKey: string): string => subtitlesKey.replace(/\.vtt$/, '.srt')
