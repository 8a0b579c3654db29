export { uploadFile } from './upload-file.ts';
export type { FileConfig } from './upload-file.ts';
export type { FileUpload, UploadedFile } from './upload-form.ts';
