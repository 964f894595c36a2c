import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Writes a stand-in for ffmpeg that lists these encoders and kinds of hardware, and runs the script for anything else. */
export async function fakeFfmpeg(
	dir: string,
	encoders: readonly string[],
	script: string,
	hardware: readonly string[] = [],
): Promise<string> {
	const list = encoders.map((name) => ` V....D ${name} an encoder`).join('\n')
	const program = `#!/bin/sh
case "$*" in
*-hwaccels*) cat <<'END'
Hardware acceleration methods:
${hardware.join('\n')}
END
exit 0;;
-version) echo 'ffmpeg version 7.1-fake Copyright'; exit 0;;
*-encoders*) cat <<'END'
Encoders:
 ------
${list}
END
exit 0;;
esac
${script}
`
	for (const name of ['ffmpeg', 'ffprobe']) {
		await writeFile(join(dir, name), program)
		await chmod(join(dir, name), 0o755)
	}
	return join(dir, 'ffmpeg')
}
