// The entry of a worker thread with one export.

import { packError } from '../threads/error-messages.ts';
import { takeExportCalls } from '../threads/export-port.ts';
import { ExportWork } from './export-work.ts';

takeExportCalls({ open: ExportWork.open, packError });
