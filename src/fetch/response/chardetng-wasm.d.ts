/** An embedded file. The import is its path; the types of the package are those of its functions. */
declare module 'chardetng-wasm/dist/chardetng_wasm_bg.wasm'
