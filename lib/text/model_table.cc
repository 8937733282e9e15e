#include "text/model.h"
namespace spinneret::text { const float kModelBase=0; const ModelNode kModelNodes[]={{0,0,0,255}}; const std::uint16_t kModelTrees[]={0}; const std::size_t kModelTreeCount=1; }
