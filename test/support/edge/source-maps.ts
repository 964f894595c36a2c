import { EvaluatedModules } from 'vitest'

/**
 * Vitest 5.1 stores a module in a file as its code, this mark and its source map. The plugin that runs tests in workerd
 * (1.5.0) takes the whole file for the code, so stacks would name lines of the transformed file.
 */
const mark = '\n//# vitestSourceMap='

const getMap = EvaluatedModules.prototype.getModuleSourceMapById

EvaluatedModules.prototype.getModuleSourceMapById = function (id) {
	const meta = this.getModuleById(id)?.meta
	if (meta && 'code' in meta && !('sourceMap' in meta)) {
		const end = meta.code.lastIndexOf(mark)
		if (end !== -1) Object.assign(meta, { sourceMap: meta.code.slice(end + mark.length) })
	}
	return getMap.call(this, id)
}
