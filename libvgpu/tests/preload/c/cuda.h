/* What these programs call of the driver. They are linked with it, as most applications are. */
#ifndef CUDA_H
#define CUDA_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int CUresult;
typedef int CUdevice;
typedef struct context *CUcontext;
typedef struct stream *CUstream;
typedef struct graph *CUgraph;
typedef struct exec *CUgraphExec;
typedef struct node *CUgraphNode;
typedef struct module *CUmodule;
typedef struct function *CUfunction;
typedef struct event *CUevent;
typedef uint64_t CUdeviceptr;
typedef struct array *CUarray;

typedef struct {
    size_t Width, Height, Depth;
    int Format;
    unsigned int NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;

/* One launch of several. */
typedef struct {
    CUfunction function;
    unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    CUstream hStream;
    void **kernelParams;
} CUDA_LAUNCH_PARAMS;

/* What cuLaunchKernelEx launches with. */
typedef struct {
    unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    CUstream hStream;
    void *attrs;
    unsigned int numAttrs;
} CUlaunchConfig;

CUresult cuInit(unsigned int flags);
CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes);
CUresult cuMemFree_v2(CUdeviceptr address);
CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor);
CUresult cuArrayDestroy(CUarray array);
CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream);
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream);
CUresult cuStreamCreate(CUstream *stream, unsigned int flags);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuStreamQuery(CUstream stream);
CUresult cuCtxSynchronize(void);
CUresult cuStreamBeginCapture_v2(CUstream stream, int mode);
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags);
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream);
CUresult cuGraphExecDestroy(CUgraphExec exec);
CUresult cuGraphDestroy(CUgraph graph);
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count);
CUresult cuDeviceGraphMemTrim(CUdevice device);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
CUresult cuStreamDestroy_v2(CUstream stream);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuEventCreate(CUevent *event, unsigned int flags);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventQuery(CUevent event);
CUresult cuLaunchHostFunc(CUstream stream, void (*function)(void *), void *data);
CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, size_t count, CUstream stream);
CUresult cuGraphLaunch_ptsz(CUgraphExec exec, CUstream stream);
CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z);
CUresult cuLaunch(CUfunction function);
CUresult cuLaunchGrid(CUfunction function, int width, int height);
CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream);
CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *launches, unsigned int count, unsigned int flags);

#define SHAPE                                                                                                         \
    CUfunction function, unsigned int gridX, unsigned int gridY, unsigned int gridZ, unsigned int blockX,             \
        unsigned int blockY, unsigned int blockZ, unsigned int shared, CUstream stream, void **parameters
CUresult cuLaunchKernel(SHAPE, void **extra);
CUresult cuLaunchKernel_ptsz(SHAPE, void **extra);
CUresult cuLaunchCooperativeKernel(SHAPE);
CUresult cuLaunchCooperativeKernel_ptsz(SHAPE);

/* Which older drivers do not have. */
#define IN_NEWER_DRIVERS __attribute__((weak))
#define CONFIGURED const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra
CUresult cuLaunchKernelEx(CONFIGURED) IN_NEWER_DRIVERS;
CUresult cuLaunchKernelEx_ptsz(CONFIGURED) IN_NEWER_DRIVERS;
CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, void *info) IN_NEWER_DRIVERS;
CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, void *params) IN_NEWER_DRIVERS;

enum { MIB = 1 << 20 };

/* Ends the program when a call that cannot fail has failed. */
static inline void must(CUresult result, const char *what)
{
    if (result == 0)
        return;
    fprintf(stderr, "%s: %d\n", what, result);
    exit(1);
}

#endif
